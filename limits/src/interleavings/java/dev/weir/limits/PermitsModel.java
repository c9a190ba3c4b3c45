package dev.weir.limits;

import java.util.BitSet;

/** What permits are to anybody who looks from outside: a number that stays below another. */
public class PermitsModel {

  private final int window;
  private final BitSet holding = new BitSet();
  private boolean sharedOpen = true;
  private int inFlight = 1;

  PermitsModel(int window) {
    this.window = window;
  }

  public boolean tryAcquire(int thread) {
    if (holding.get(thread) || inFlight >= window) {
      return false;
    }
    holding.set(thread);
    inFlight++;
    return true;
  }

  public boolean close(int thread) {
    return end(thread);
  }

  public boolean settle(int thread) {
    return end(thread);
  }

  public void closeShared() {
    endShared();
  }

  public void settleShared() {
    endShared();
  }

  public int inFlight() {
    return inFlight;
  }

  private boolean end(int thread) {
    boolean held = holding.get(thread);
    holding.clear(thread);
    inFlight -= held ? 1 : 0;
    return held;
  }

  private void endShared() {
    inFlight -= sharedOpen ? 1 : 0;
    sharedOpen = false;
  }

  /** With one permit. */
  public static final class OfOne extends PermitsModel {
    public OfOne() {
      super(1);
    }
  }

  /** With two permits. */
  public static final class OfTwo extends PermitsModel {
    public OfTwo() {
      super(2);
    }
  }
}

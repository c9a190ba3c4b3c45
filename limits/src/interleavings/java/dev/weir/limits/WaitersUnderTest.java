package dev.weir.limits;

import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * A lane whose users wait for their permits, beside others who give up. Whoever waits is woken
 * (else the model checker reports a deadlock), never do more hold a permit than the window has, and
 * nothing is left in the end.
 */
public abstract class WaitersUnderTest {

  private final int window;
  private final Lane lane;
  private final AtomicInteger holding = new AtomicInteger();

  WaitersUnderTest(int window) {
    this.window = window;
    lane = Lanes.ofWindow(window);
  }

  @Operation
  public void use() throws InterruptedException {
    try (Permit permit = lane.acquire(Lanes.DEMAND)) {
      hold(permit);
    }
  }

  @Operation
  public void useOrGiveUp() throws InterruptedException {
    try (Permit permit = lane.acquire(Lanes.IMPATIENT)) {
      hold(permit);
    } catch (DeadlinePassedException gaveUp) {
      // As good an end as any: what matters is what is left of it.
      return;
    }
  }

  @Operation
  public void tryToUse() {
    lane.tryAcquire(Lanes.DEMAND)
        .ifPresent(
            permit -> {
              try (permit) {
                hold(permit);
              }
            });
  }

  @Validate
  public void nothingIsLeft() {
    Lane.Status status = lane.status();
    if (status.inFlight() != 0 || status.waiting() != 0 || status.backingOff() != 0) {
      throw new IllegalStateException("left behind: " + status);
    }
  }

  private void hold(Permit permit) {
    int now = holding.incrementAndGet();
    if (now > window) {
      throw new IllegalStateException(now + " hold permits of a window of " + window);
    }
    holding.decrementAndGet();
    permit.settle(new Outcome.Clean(), Cost.ONE_REQUEST);
  }

  /** With one permit. */
  public static final class OfOne extends WaitersUnderTest {
    public OfOne() {
      super(1);
    }
  }

  /** With two permits. */
  public static final class OfTwo extends WaitersUnderTest {
    public OfTwo() {
      super(2);
    }
  }

  /** Results say nothing here: there are none. */
  public static final class Model {
    public void use() {}

    public void useOrGiveUp() {}

    public void tryToUse() {}
  }
}

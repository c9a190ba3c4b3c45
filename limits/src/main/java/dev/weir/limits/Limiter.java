package dev.weir.limits;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A fixed window: at most so many permits out at once, granted in the order of arrival.
 *
 * <p>A permit that is given back passes straight to the first waiter, so a newcomer cannot overtake
 * those who wait. A waiter that is cancelled leaves no trace.
 *
 * <p>Thread-safe.
 */
public final class Limiter {

  private final Time time;
  private final String name;
  private final int window;

  // Guarded by this: permits out and those who wait for one change together.
  private int inFlight;
  private final Deque<Waiter> waiting = new ArrayDeque<>();

  /**
   * @param name what is limited, for people: {@code "sim/demo"}
   * @param window how many permits may be out at once, at least 1
   */
  public Limiter(Time time, String name, int window) {
    if (window < 1) {
      throw new IllegalArgumentException("`window` must be >= 1, was " + window);
    }
    this.time = time;
    this.name = name;
    this.window = window;
  }

  /** Waits for a permit. */
  public Permit acquire() throws InterruptedException {
    Waiter waiter;
    synchronized (this) {
      if (inFlight < window) {
        inFlight++;
        return new Permit(this);
      }
      waiter = new Waiter(time.signal("a permit of " + name));
      waiting.add(waiter);
    }
    try {
      waiter.granted.await();
    } catch (InterruptedException cancelled) {
      abandon(waiter);
      throw cancelled;
    }
    return new Permit(this);
  }

  public int window() {
    return window;
  }

  public synchronized int inFlight() {
    return inFlight;
  }

  public synchronized int waiting() {
    return waiting.size();
  }

  /** Passes the permit to the first waiter, or puts it back. */
  void giveBack() {
    Waiter next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        inFlight--;
        return;
      }
    }
    next.granted.send();
  }

  private void abandon(Waiter waiter) {
    boolean wasGranted;
    synchronized (this) {
      wasGranted = !waiting.remove(waiter);
    }
    if (wasGranted) {
      giveBack();
    }
  }

  /** Identity is all that matters: each wait is its own. */
  private static final class Waiter {
    private final Signal granted;

    Waiter(Signal granted) {
      this.granted = granted;
    }
  }
}

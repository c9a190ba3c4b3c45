package dev.weir.eval.sandbox;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets so many in at once, in the order of arrival.
 *
 * <p>A place that becomes free is handed to the first who waits, so nobody overtakes. Thread-safe.
 */
public final class Gate {

  /** A limit that nothing reaches. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  private final Time time;
  private final String place;
  private final int limit;

  // Both guarded by this: a free place and a waiter must not exist at the same time. A set, so
  // that ten thousand who give up at once do not search for themselves.
  private int inside;
  private final SequencedSet<Signal> waiting = new LinkedHashSet<>();

  /**
   * @param place what is waited for, for people: {@code "a place for a sandbox"}
   * @param limit how many may be inside, at least 1
   */
  public Gate(Time time, String place, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("`limit` must be >= 1, was " + limit);
    }
    this.time = time;
    this.place = place;
    this.limit = limit;
  }

  /** A place inside; given back when closed, once. Thread-safe. */
  public final class Pass implements AutoCloseable {

    private final AtomicBoolean closed = new AtomicBoolean();

    private Pass() {}

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        leave();
      }
    }
  }

  /**
   * Waits for a place.
   *
   * @param waits counts the wait from its beginning, if there is one
   * @throws InterruptedException if the task is cancelled; it then has no place
   */
  public Pass enter(Waits waits) throws InterruptedException {
    Signal turn = time.signal(place);
    synchronized (this) {
      // Nobody waits while a place is free, so there is nobody to overtake.
      if (inside < limit) {
        inside++;
        return new Pass();
      }
      waiting.add(turn);
    }
    Waits.Wait wait = waits.began(time.nanos());
    try {
      turn.await();
      return new Pass();
    } catch (InterruptedException | RuntimeException | Error cancelled) {
      giveUp(turn);
      throw cancelled;
    } finally {
      wait.ended(time.nanos());
    }
  }

  public int limit() {
    return limit;
  }

  /** How many are inside now. */
  public synchronized int inside() {
    return inside;
  }

  /** How many wait now. */
  public synchronized int waiting() {
    return waiting.size();
  }

  private void giveUp(Signal turn) {
    boolean stillWaited;
    synchronized (this) {
      stillWaited = waiting.remove(turn);
    }
    if (!stillWaited) {
      // The place was handed over at the moment of cancelling: it is somebody else's.
      leave();
    }
  }

  private void leave() {
    Signal next;
    synchronized (this) {
      if (waiting.isEmpty()) {
        inside--;
        return;
      }
      next = waiting.removeFirst();
    }
    next.send();
  }
}

package dev.weir.limits;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import org.jspecify.annotations.Nullable;

/** A request that waits for its permit. Its fields are guarded by the lock of its regulator. */
final class Waiter {

  final Demand demand;
  final long since;
  final Signal signal;
  // When it is no longer wanted, or has waited for too long.
  final long giveUpAt;
  // Whether its permit must come back by itself if its owner dies.
  final boolean leased;
  // The place in the window that a refused request has kept, if it has.
  @Nullable Place kept;

  // Whether a task sleeps on the signal; a reservation is polled.
  boolean awaited;
  // Whether others may close or poll it.
  boolean reserved;
  // Only one of a queue has a time to look again; the others are woken. Read without the lock: a
  // signal tells when it has become earlier.
  volatile long wakeAt = Time.NEVER;
  // Written under the lock; its own task may read it without, once it was woken.
  volatile @Nullable Permit permit;
  // What the lane had paced when it came.
  long pacedBefore;
  // Whether somebody has the permit and will end it.
  boolean taken;
  boolean closed;
  // Whether it was woken to take the place that is free.
  boolean isCalled;

  // Its place in the queue, if it is in.
  FairQueue.@Nullable Line line;
  @Nullable Waiter before;
  @Nullable Waiter behind;

  Waiter(
      Demand demand,
      long since,
      Signal signal,
      long giveUpAt,
      boolean leased,
      @Nullable Place kept) {
    this.demand = demand;
    this.since = since;
    this.signal = signal;
    this.giveUpAt = giveUpAt;
    this.leased = leased;
    this.kept = kept;
  }

  long sleepUntil() {
    return Math.min(wakeAt, giveUpAt);
  }

  /** A place that a refused request keeps in the window of a flow. */
  record Place(FlowControl flow, FlowControl.Ticket ticket) {}
}

package dev.weir.limits;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import org.jspecify.annotations.Nullable;

/** A request that waits for its permit. Its fields are guarded by the lock of its regulator. */
final class Waiter {

  final Demand demand;
  final int attempt;
  final long since;
  final Signal signal;
  // The place in the window that a refused request has kept, if it has.
  final FlowControl.@Nullable Ticket kept;

  // Only the first of a queue has a time to look again; the others are woken.
  long wakeAt = Time.NEVER;
  @Nullable Permit permit;

  Waiter(Demand demand, int attempt, long since, Signal signal, FlowControl.@Nullable Ticket kept) {
    this.demand = demand;
    this.attempt = attempt;
    this.since = since;
    this.signal = signal;
    this.kept = kept;
  }
}

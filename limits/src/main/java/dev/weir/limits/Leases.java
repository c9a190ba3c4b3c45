package dev.weir.limits;

import dev.weir.time.Time;
import org.jspecify.annotations.Nullable;

/**
 * The permits whose owners might die, oldest first: a list threaded through the permits, because a
 * permit comes and goes with every call. Guarded by the lock of the regulator.
 */
final class Leases {

  private @Nullable Permit oldest;
  private @Nullable Permit newest;

  /** All leases are equally long, so the newest ends last. */
  void add(Permit permit, long endsAt) {
    permit.leaseEndsAt = endsAt;
    permit.olderLease = newest;
    if (newest == null) {
      oldest = permit;
    } else {
      newest.newerLease = permit;
    }
    newest = permit;
  }

  /** Without effect on a permit that has no lease. */
  void remove(Permit permit) {
    if (permit.leaseEndsAt == Time.NEVER) {
      return;
    }
    permit.leaseEndsAt = Time.NEVER;
    Permit older = permit.olderLease;
    Permit newer = permit.newerLease;
    if (older == null) {
      oldest = newer;
    } else {
      older.newerLease = newer;
    }
    if (newer == null) {
      newest = older;
    } else {
      newer.olderLease = older;
    }
    permit.olderLease = null;
    permit.newerLease = null;
  }

  /** The oldest, if its lease has run out. */
  @Nullable Permit expired(long now) {
    return oldest != null && oldest.leaseEndsAt <= now ? oldest : null;
  }

  /** When the next one runs out. */
  long nextEnd() {
    return oldest == null ? Time.NEVER : oldest.leaseEndsAt;
  }
}

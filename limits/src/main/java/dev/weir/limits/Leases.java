package dev.weir.limits;

import dev.weir.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The permits whose owners might die, oldest first: a list threaded through the permits, because a
 * permit comes and goes with every call.
 *
 * <p>A lease counts from when somebody first waits while the permit is out: until then nobody needs
 * it back, and the clock need not be read for it. Guarded by the lock of the regulator.
 */
final class Leases {

  private static final long NOT_COUNTING = Time.NEVER - 1;

  private final long leaseNanos;
  private @Nullable Permit oldest;
  private @Nullable Permit newest;

  Leases(Duration length) {
    this.leaseNanos = length.toNanos();
  }

  void add(Permit permit) {
    permit.leaseEndsAt = NOT_COUNTING;
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

  /** Somebody waits: leases begin to count. */
  void count(long now) {
    // The newest are those that do not count yet.
    for (Permit permit = newest;
        permit != null && permit.leaseEndsAt == NOT_COUNTING;
        permit = permit.olderLease) {
      permit.leaseEndsAt = now + leaseNanos;
    }
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

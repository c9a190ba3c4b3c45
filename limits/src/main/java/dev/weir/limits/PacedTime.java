package dev.weir.limits;

/**
 * For how long whoever was next in line had a place, but had to wait for the time to take it. The
 * difference of two readings is what a request that waited between them lost to pacing.
 *
 * <p>Not thread-safe: guarded by the lock of the regulator.
 */
final class PacedTime {

  private long sum;
  private long since;
  private boolean paced;

  /** What the next in line waits for from now on. */
  void waitsForTime(long now, boolean isPaced) {
    sum = read(now);
    since = now;
    paced = isPaced;
  }

  long read(long now) {
    // A flow without a clock of its own tells any number for the time, and paces nobody.
    return paced ? sum + Math.max(0, now - since) : sum;
  }
}

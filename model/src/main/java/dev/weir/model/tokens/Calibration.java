package dev.weir.model.tokens;

/**
 * How far estimates are from what providers then count: a ratio that follows what is observed.
 * Large requests weigh more than small ones. Thread-safe.
 */
public final class Calibration {

  /** An estimate that is further off than this is not one of tokens. */
  private static final double MOST = 4;

  private static final double NEWEST_WEIGHT = 0.05;

  // Guarded by this: means, plain at first, then such that forget.
  private double estimated;
  private double counted;
  private long observations;

  /** What to multiply an estimate by. */
  public synchronized double ratio() {
    return observations == 0 ? 1 : Math.clamp(counted / estimated, 1 / MOST, MOST);
  }

  /**
   * @param estimate before it was multiplied
   * @param count what the provider counted; 0 if it did not say
   */
  public synchronized void observe(double estimate, long count) {
    if (!(estimate > 0) || count <= 0) {
      return;
    }
    observations++;
    double weight = Math.max(NEWEST_WEIGHT, 1.0 / observations);
    // One absurd count must not spoil the mean for long.
    double bounded = Math.clamp((double) count, estimate / MOST, estimate * MOST);
    estimated += weight * (estimate - estimated);
    counted += weight * (bounded - counted);
  }
}

package dev.weir.statistics;

/**
 * A range that holds the true value in the given share of all cases.
 *
 * @param low inclusive
 * @param high inclusive
 * @param confidence the share, between 0 and 1, such as 0.95
 */
public record Interval(double low, double high, double confidence) {

  public Interval {
    if (!(low <= high)) {
      throw new IllegalArgumentException("`high` must be >= `low` (" + low + "), was " + high);
    }
    requireConfidence(confidence);
  }

  public boolean contains(double value) {
    return low <= value && value <= high;
  }

  /** The same, widened to hold 0. */
  Interval reachingZero() {
    return new Interval(Math.min(low, 0), Math.max(high, 0), confidence);
  }

  static void requireConfidence(double confidence) {
    if (!(confidence > 0 && confidence < 1)) {
      throw new IllegalArgumentException("`confidence` must be between 0 and 1, was " + confidence);
    }
  }
}

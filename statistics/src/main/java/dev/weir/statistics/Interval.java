package dev.weir.statistics;

/**
 * A range that holds the true value in the given share of all cases.
 *
 * @param low inclusive
 * @param high inclusive
 * @param confidence the share, between 0 and 1, such as 0.95
 * @param method how it was found
 */
public record Interval(double low, double high, double confidence, Method method) {

  /** How an interval was found. Different methods give different intervals of the same data. */
  public enum Method {
    /** For numbers that are all 0 or 1. */
    WILSON("Wilson"),
    /** For numbers from 0 to 1. */
    WILSON_STUDENT("Wilson with Student's quantile"),
    /** For numbers from 0 to 1 in clusters. */
    WILSON_CLUSTERED("Wilson, clustered"),
    STUDENT("Student"),
    STUDENT_CLUSTERED("Student, clustered"),
    /** Of the differences of pairs. */
    STUDENT_PAIRED("Student, paired"),
    /** Of differences that are all the same, and so do not show how they vary. */
    EQUAL_PAIRED("equal differences"),
    CLOPPER_PEARSON("Clopper-Pearson"),
    NEWCOMBE("Newcombe"),
    BONETT_PRICE("Bonett-Price"),
    WELCH("Welch"),
    BOOTSTRAP("bootstrap percentile"),
    /** Valid at any number of looks, and therefore wider. */
    BETTING("betting");

    private final String words;

    Method(String words) {
      this.words = words;
    }

    /** As it is written in reports. */
    public String words() {
      return words;
    }
  }

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
    return new Interval(Math.min(low, 0), Math.max(high, 0), confidence, method);
  }

  Interval as(Method other) {
    return new Interval(low, high, confidence, other);
  }

  static void requireConfidence(double confidence) {
    if (!(confidence > 0 && confidence < 1)) {
      throw new IllegalArgumentException("`confidence` must be between 0 and 1, was " + confidence);
    }
  }
}

package dev.weir.selection;

/**
 * What a failed evaluation means.
 *
 * @param meaning what it counts as when no attempt is left
 * @param attempts how often a datapoint is tried, at least once
 * @param hopeless an arm that fails on each of its first so many datapoints is given up
 */
public record Failures(Meaning meaning, int attempts, int hopeless) {

  /** What a datapoint on which an arm failed counts as. */
  public enum Meaning {
    /** As a score of 0: an arm that fails on what is hard must not win by it. */
    ZERO,
    /** As nothing, for this arm and for those it is compared with on this datapoint. */
    EXCLUDED
  }

  /** Zero at the first failure; given up after five datapoints without a single score. */
  public static final Failures DEFAULT = new Failures(Meaning.ZERO, 1, 5);

  public Failures {
    if (attempts < 1) {
      throw new IllegalArgumentException("`attempts` must be >= 1, was " + attempts);
    }
    if (hopeless < 1) {
      throw new IllegalArgumentException("`hopeless` must be >= 1, was " + hopeless);
    }
  }
}

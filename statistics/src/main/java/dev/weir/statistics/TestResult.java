package dev.weir.statistics;

import java.util.Locale;

/**
 * What a test says of two groups, or of pairs.
 *
 * @param p how often chance alone would bring a difference at least as large, in either direction
 * @param method how p was found
 * @param arrangements how many ways to form the groups, or to exchange within pairs, were looked at
 */
public record TestResult(double p, Method method, long arrangements) {

  /** How p was found. */
  public enum Method {
    /** Fisher's exact test, for numbers that are all 0 or 1. */
    FISHER,
    /** Every way to form the groups was counted. */
    EXACT_PERMUTATION,
    /** They were too many to count, and some were drawn with a seed. */
    SAMPLED_PERMUTATION,
    /** McNemar's exact test, for pairs of numbers that are all 0 or 1. */
    MCNEMAR,
    /** Every way to exchange the numbers within pairs was counted. */
    EXACT_PAIRED_PERMUTATION,
    /** They were too many to count, and some were drawn with a seed. */
    SAMPLED_PAIRED_PERMUTATION
  }

  /** For people, such as "Fisher's exact test, p = 0.031". */
  public String sentence() {
    String shown = p < 0.001 ? "p < 0.001" : String.format(Locale.ROOT, "p = %.3f", p);
    return switch (method) {
      case FISHER -> "Fisher's exact test, " + shown;
      case EXACT_PERMUTATION -> "exact permutation test, " + shown;
      case SAMPLED_PERMUTATION ->
          String.format(
              Locale.ROOT, "permutation test with %d seeded shuffles, %s", arrangements, shown);
      case MCNEMAR -> "McNemar's exact test, " + shown;
      case EXACT_PAIRED_PERMUTATION -> "exact paired permutation test, " + shown;
      case SAMPLED_PAIRED_PERMUTATION ->
          String.format(
              Locale.ROOT, "paired permutation test with %d seeded draws, %s", arrangements, shown);
    };
  }
}

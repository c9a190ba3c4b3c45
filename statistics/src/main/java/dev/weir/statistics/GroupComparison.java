package dev.weir.statistics;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * Whether the scores of some samples differ from those of the others.
 *
 * <p>When all scores are 0 or 1, by Fisher's exact test, with Newcombe's interval for the
 * difference; else by a permutation test of the means, with Welch's. These intervals are
 * approximate and too narrow for a handful of samples: one that excludes no difference, where the
 * exact test does not, is widened to reach it. A difference is no cause: hard samples may be both
 * retried more often and answered worse.
 *
 * @param count of the samples in question
 * @param otherCount of the others
 * @param mean of the scores in question
 * @param otherMean of the others' scores
 * @param interval of the difference; empty when the scores do not tell it, such as a single one
 * @param test whether chance alone explains the difference
 */
public record GroupComparison(
    int count,
    int otherCount,
    double mean,
    double otherMean,
    Optional<Interval> interval,
    TestResult test) {

  private static final double CONFIDENCE = 0.95;
  private static final double SIGNIFICANT = 0.05;

  /**
   * Empty when either group is.
   *
   * @param seed for the shuffles that are drawn when there are too many to count
   */
  public static Optional<GroupComparison> compare(double[] group, double[] others, long seed) {
    if (group.length == 0 || others.length == 0) {
      return Optional.empty();
    }
    Summary one = Summary.of(group);
    Summary other = Summary.of(others);
    boolean binary = one.isBinary() && other.isBinary();
    Optional<Interval> interval =
        binary
            ? Optional.of(
                Intervals.newcombe(
                    one.ones(), group.length, other.ones(), others.length, CONFIDENCE))
            : Intervals.welch(one, other, CONFIDENCE);
    TestResult test =
        binary
            ? FisherTest.test((int) one.ones(), group.length, (int) other.ones(), others.length)
            : PermutationTest.test(group, others, seed);
    return Optional.of(
        new GroupComparison(
            group.length,
            others.length,
            one.mean().getAsDouble(),
            other.mean().getAsDouble(),
            test.p() < SIGNIFICANT ? interval : interval.map(Interval::reachingZero),
            test));
  }

  /** The mean in question minus the mean of the others. */
  public double difference() {
    return mean - otherMean;
  }

  /** Whether chance alone would bring such a difference in fewer than 5 of 100 cases. */
  public boolean isEvidence() {
    return test.p() < SIGNIFICANT;
  }

  /**
   * The finding in one sentence, no more certain than the numbers.
   *
   * @param kind what sets the samples apart, such as "retried"
   */
  public String sentence(String kind) {
    String samples = (count == 1 ? "1 %s sample" : count + " %s samples").formatted(kind);
    String others = otherCount == 1 ? "the other one" : "the other " + otherCount;
    boolean isWider = isEvidence() && interval.filter(range -> range.contains(0)).isPresent();
    String evidence =
        "(%s%s; %s)"
            .formatted(
                shownInterval(),
                isWider ? ", which is approximate and alone would not tell" : "",
                test.sentence());
    return isEvidence()
        ? "%s %s %s than %s %s."
            .formatted(samples, count == 1 ? "scores" : "score", effect(), others, evidence)
        : "No evidence that %s %s differently from %s: %s %s%s."
            .formatted(
                samples,
                count == 1 ? "scores" : "score",
                others,
                difference() == 0 ? "same mean" : effect(),
                evidence,
                interval.map(this::notExcluded).orElse(""));
  }

  private String effect() {
    return number(Math.abs(difference())) + (difference() < 0 ? " lower" : " higher");
  }

  private String shownInterval() {
    return interval
        .map(
            range ->
                "%d %% interval %s to %s, %s"
                    .formatted(
                        Math.round(range.confidence() * 100),
                        number(range.low()),
                        number(range.high()),
                        range.method().words()))
        .orElse("no interval can be told");
  }

  private String notExcluded(Interval range) {
    double largest = Math.max(Math.abs(range.low()), Math.abs(range.high()));
    return "; a difference of " + number(largest) + " is not excluded";
  }

  /** With as many decimals as the precision of the difference is worth, at least two. */
  private String number(double value) {
    double precision = interval.map(range -> range.high() - range.low()).orElse(difference());
    double digits = Math.ceil(-Math.log10(Math.abs(precision))) + 1;
    int decimals = Double.isFinite(digits) ? (int) Math.clamp(digits, 2, 6) : 2;
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
  }
}

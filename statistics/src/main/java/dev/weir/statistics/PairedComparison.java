package dev.weir.statistics;

import java.util.Optional;

/**
 * Whether scores of the same samples differ between two runs.
 *
 * <p>When all scores are 0 or 1, by McNemar's exact test, with the interval of Bonett and Price for
 * the difference; else by a paired permutation test, with Student's interval of the differences, or
 * one for differences that are all the same. These intervals are approximate and too narrow for a
 * handful of samples: one that excludes no difference, where the exact test does not, is widened to
 * reach it.
 *
 * @param count of the pairs
 * @param baselineMean of the scores that are compared with
 * @param mean of the scores in question
 * @param up how many are higher than their baseline
 * @param down how many are lower
 * @param interval of the difference; empty when the scores do not say, such as a single pair
 * @param test whether chance alone explains the difference
 */
public record PairedComparison(
    int count,
    double baselineMean,
    double mean,
    int up,
    int down,
    Optional<Interval> interval,
    TestResult test) {

  /**
   * Compares each score with the one at the same place of the baseline. Empty without pairs.
   *
   * @param confidence of the interval
   * @param seed for the exchanges that are drawn when there are too many to count
   */
  public static Optional<PairedComparison> compare(
      double[] baseline, double[] scores, double confidence, long seed) {
    Interval.requireConfidence(confidence);
    if (baseline.length != scores.length) {
      throw new IllegalArgumentException(
          "`scores` must have one for each of %s of the baseline, were %s"
              .formatted(baseline.length, scores.length));
    }
    if (scores.length == 0) {
      return Optional.empty();
    }
    double[] differences = new double[scores.length];
    int up = 0;
    int down = 0;
    for (int i = 0; i < scores.length; i++) {
      differences[i] = scores[i] - baseline[i];
      up += differences[i] > 0 ? 1 : 0;
      down += differences[i] < 0 ? 1 : 0;
    }
    Summary before = Summary.of(baseline);
    Summary after = Summary.of(scores);
    boolean isBinary = before.isBinary() && after.isBinary();
    TestResult test = PairedPermutationTest.test(differences, isBinary, seed);
    Optional<Interval> interval =
        isBinary
            ? Optional.of(Intervals.bonettPrice(up, down, scores.length, confidence))
            : interval(Summary.of(differences), confidence);
    return Optional.of(
        new PairedComparison(
            scores.length,
            before.mean().getAsDouble(),
            after.mean().getAsDouble(),
            up,
            down,
            test.p() < 1 - confidence ? interval : interval.map(Interval::reachingZero),
            test));
  }

  private static Optional<Interval> interval(Summary differences, double confidence) {
    double mean = differences.mean().getAsDouble();
    if (differences.isConstant() && mean != 0 && differences.count() > 1) {
      return Optional.of(Intervals.equalPaired(mean, (int) differences.count(), confidence));
    }
    return Intervals.student(differences, confidence)
        .map(range -> range.as(Interval.Method.STUDENT_PAIRED));
  }

  /** The mean in question minus that of the baseline. */
  public double difference() {
    return mean - baselineMean;
  }

  /**
   * Whether the scores are lower by more than a tolerance: the whole interval lies below it.
   *
   * @param tolerance how much lower is accepted, 0 or more
   */
  public boolean isRegression(double tolerance) {
    return interval.filter(range -> range.high() < -tolerance).isPresent();
  }

  /** Whether the interval excludes that both are the same. */
  public boolean isEvidence() {
    return interval.filter(range -> !range.contains(0)).isPresent();
  }
}

package dev.weir.statistics;

import org.apache.commons.statistics.distribution.HypergeometricDistribution;

/**
 * Fisher's exact test (1922), two-sided: with the totals of the table given, the probability of all
 * tables that are no likelier than the one seen.
 */
final class FisherTest {

  /** Tables as likely as the one seen count, though rounding makes them look likelier. */
  private static final double ROUNDING = 1 + 1e-7;

  private FisherTest() {}

  /** Whether the first group has another share of ones than the second. */
  static TestResult test(int ones, int count, int otherOnes, int otherCount) {
    var tables = HypergeometricDistribution.of(count + otherCount, ones + otherOnes, count);
    double seen = tables.probability(ones) * ROUNDING;
    int least = tables.getSupportLowerBound();
    int most = tables.getSupportUpperBound();
    double p = 0;
    for (int x = least; x <= most; x++) {
      double probability = tables.probability(x);
      if (probability <= seen) {
        p += probability;
      }
    }
    return new TestResult(Math.min(1, p), TestResult.Method.FISHER, most - least + 1L);
  }
}

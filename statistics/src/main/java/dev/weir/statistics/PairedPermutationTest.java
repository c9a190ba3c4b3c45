package dev.weir.statistics;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

/**
 * Whether the numbers of pairs differ in their mean: of all ways to exchange the two numbers within
 * some of the pairs, the share whose mean difference is at least as far from 0 (Fisher 1935).
 *
 * <p>Exact as long as the ways can be counted; pairs whose differences have the same size are
 * interchangeable. With zeros and ones it is McNemar's exact test. Otherwise exchanges are drawn
 * with a seed many times, and p = (1 + hits) / (1 + draws), which is never too small.
 */
final class PairedPermutationTest {

  /** Steps of counting before it is given up; about a tenth of a second. */
  private static final int MOST_STEPS = 2_000_000;

  private static final int MOST_DRAWS = 9_999;
  private static final int FEWEST_DRAWS = 499;

  /** Signs drawn in all draws together, above which there are fewer draws. */
  private static final long SIGNS = 50_000_000;

  /** Relative to the sum of all sizes: sums that differ by less are the same sum. */
  private static final double ROUNDING = 1e-11;

  /** The sizes of the differences that are not 0, in order. */
  private final double[] sizes;

  /** Sums from here on, up or down, are at least as extreme as the one seen. */
  private final double extreme;

  private int steps;
  private long arrangements;

  private PairedPermutationTest(double[] sizes, double seen) {
    this.sizes = sizes;
    this.extreme = Math.abs(seen) - ROUNDING * DoubleStream.of(sizes).sum();
  }

  static TestResult test(double[] differences, boolean isBinary, long seed) {
    double[] sizes = DoubleStream.of(differences).map(Math::abs).filter(it -> it > 0).toArray();
    Arrays.sort(sizes);
    var test = new PairedPermutationTest(sizes, DoubleStream.of(differences).sum());
    OptionalDouble exact = test.counted();
    return exact.isPresent()
        ? new TestResult(
            exact.getAsDouble(),
            isBinary ? TestResult.Method.MCNEMAR : TestResult.Method.EXACT_PAIRED_PERMUTATION,
            test.arrangements)
        : test.sampled(seed);
  }

  private TestResult sampled(long seed) {
    int draws = Math.clamp(SIGNS / sizes.length, FEWEST_DRAWS, MOST_DRAWS);
    var random = new SplittableRandom(seed);
    int hits = 0;
    for (int draw = 0; draw < draws; draw++) {
      double sum = 0;
      for (double size : sizes) {
        sum += random.nextBoolean() ? size : -size;
      }
      if (Math.abs(sum) >= extreme) {
        hits++;
      }
    }
    double p = (1.0 + hits) / (1.0 + draws);
    return new TestResult(p, TestResult.Method.SAMPLED_PAIRED_PERMUTATION, draws);
  }

  /** Empty when the ways are too many. */
  private OptionalDouble counted() {
    double[] distinct = DoubleStream.of(sizes).distinct().toArray();
    int[] times = new int[distinct.length];
    for (double size : sizes) {
      times[Arrays.binarySearch(distinct, size)]++;
    }
    double ways = 1;
    for (int count : times) {
      ways *= count + 1;
    }
    if (ways > MOST_STEPS) {
      return OptionalDouble.empty();
    }
    double p =
        choose(distinct, times, new LogFactorials(sizes.length), 0, 0, -sizes.length * Math.log(2));
    return steps > MOST_STEPS ? OptionalDouble.empty() : OptionalDouble.of(Math.min(1, p));
  }

  /**
   * Lets some of the differences of one size be positive, and goes on with the next size.
   *
   * @param logWeight the logarithm of the share of all ways that was chosen so far
   * @return the share of the ways from here on that are at least as extreme
   */
  private double choose(
      double[] distinct,
      int[] times,
      LogFactorials factorials,
      int index,
      double sum,
      double logWeight) {
    if (++steps > MOST_STEPS) {
      return 0;
    }
    if (index == distinct.length) {
      arrangements++;
      return Math.abs(sum) >= extreme ? Math.exp(logWeight) : 0;
    }
    double p = 0;
    for (int positive = 0; positive <= times[index] && steps <= MOST_STEPS; positive++) {
      p +=
          choose(
              distinct,
              times,
              factorials,
              index + 1,
              sum + (2.0 * positive - times[index]) * distinct[index],
              logWeight + factorials.choose(times[index], positive));
    }
    return p;
  }
}

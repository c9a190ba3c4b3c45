package dev.weir.statistics;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

/**
 * Whether two groups differ in their mean: of all ways to form groups of these sizes from the same
 * numbers, the share whose means lie at least as far apart.
 *
 * <p>Exact as long as the ways can be counted. Equal numbers are interchangeable, so a way is how
 * many of each distinct number the smaller group has, weighted by how many choices that stands for:
 * with the few values that most scores have, groups of hundreds are still exact. Otherwise a seeded
 * shuffle is drawn many times, and p = (1 + hits) / (1 + shuffles), which is never too small
 * (Davison and Hinkley 1997): the arrangement seen is one of those possible.
 */
final class PermutationTest {

  /** Steps of counting before it is given up; about a tenth of a second. */
  private static final int MOST_STEPS = 2_000_000;

  /** Distinct numbers in one way; beyond it the ways are far too many, and the stack would grow. */
  private static final int DEEPEST = 200;

  private static final int MOST_SHUFFLES = 9_999;
  private static final int FEWEST_SHUFFLES = 499;

  /** Numbers drawn in all shuffles together, above which there are fewer shuffles. */
  private static final long DRAWS = 50_000_000;

  /** Relative to the range of the numbers: sums that differ by less are the same sum. */
  private static final double ROUNDING = 1e-11;

  /** All numbers as distances to their common mean, those of the smaller group first. */
  private final double[] distances;

  private final int groupSize;

  /**
   * Sums of the smaller group from here on, up or down, are at least as extreme as the one seen.
   */
  private final double extreme;

  private PermutationTest(double[] distances, int groupSize) {
    this.distances = distances;
    this.groupSize = groupSize;
    double range = DoubleStream.of(distances).map(Math::abs).max().orElse(0);
    double seen = Math.abs(DoubleStream.of(distances).limit(groupSize).sum());
    this.extreme = seen - ROUNDING * range * groupSize;
  }

  static TestResult test(double[] group, double[] others, long seed) {
    double[] smaller = group.length <= others.length ? group : others;
    double[] larger = group.length <= others.length ? others : group;
    double[] all = DoubleStream.concat(DoubleStream.of(smaller), DoubleStream.of(larger)).toArray();
    double mean = Summary.of(all).mean().orElse(0);
    double[] distances = DoubleStream.of(all).map(value -> value - mean).toArray();
    var test = new PermutationTest(distances, smaller.length);
    var counting = test.new Counting();
    OptionalDouble exact = counting.p();
    return exact.isPresent()
        ? new TestResult(
            exact.getAsDouble(), TestResult.Method.EXACT_PERMUTATION, counting.arrangements)
        : test.sampled(seed);
  }

  private TestResult sampled(long seed) {
    int shuffles = Math.clamp(DRAWS / groupSize, FEWEST_SHUFFLES, MOST_SHUFFLES);
    var random = new SplittableRandom(seed);
    double[] numbers = distances.clone();
    int hits = 0;
    for (int shuffle = 0; shuffle < shuffles; shuffle++) {
      double sum = 0;
      for (int i = 0; i < groupSize; i++) {
        int drawn = random.nextInt(i, numbers.length);
        double number = numbers[drawn];
        numbers[drawn] = numbers[i];
        numbers[i] = number;
        sum += number;
      }
      if (Math.abs(sum) >= extreme) {
        hits++;
      }
    }
    double p = (1.0 + hits) / (1.0 + shuffles);
    return new TestResult(p, TestResult.Method.SAMPLED_PERMUTATION, shuffles);
  }

  /** Goes through all ways to form the smaller group. */
  private final class Counting {

    /** The distinct numbers, and how often each occurs. */
    private final double[] numbers;

    private final int[] times;

    /** How many numbers there are from each distinct one on. */
    private final int[] remaining;

    private final LogFactorials factorials;
    private final double logChoices;
    private int steps;
    private double p;
    private long arrangements;

    Counting() {
      numbers = DoubleStream.of(distances).sorted().distinct().toArray();
      times = new int[numbers.length];
      for (double distance : distances) {
        times[Arrays.binarySearch(numbers, distance)]++;
      }
      remaining = new int[numbers.length + 1];
      for (int i = numbers.length - 1; i >= 0; i--) {
        remaining[i] = remaining[i + 1] + times[i];
      }
      factorials = new LogFactorials(distances.length);
      logChoices = factorials.choose(distances.length, groupSize);
    }

    /** Empty when the ways are too many. */
    OptionalDouble p() {
      if (Math.min(groupSize, numbers.length) > DEEPEST) {
        return OptionalDouble.empty();
      }
      choose(0, groupSize, 0, -logChoices);
      return steps > MOST_STEPS ? OptionalDouble.empty() : OptionalDouble.of(Math.min(1, p));
    }

    /**
     * Takes the {@code left} numbers that the group still lacks from those at {@code first} on.
     *
     * @param sum of what was taken
     * @param logWeight the logarithm of the share of all choices that was taken so far
     */
    private void choose(int first, int left, double sum, double logWeight) {
      if (++steps > MOST_STEPS) {
        return;
      }
      if (left == 0) {
        arrangements++;
        if (Math.abs(sum) >= extreme) {
          p += Math.exp(logWeight);
        }
        return;
      }
      for (int i = first; remaining[i] >= left && steps <= MOST_STEPS; i++) {
        int most = Math.min(times[i], left);
        for (int x = Math.max(1, left - remaining[i + 1]); x <= most; x++) {
          choose(i + 1, left - x, sum + x * numbers[i], logWeight + factorials.choose(times[i], x));
        }
      }
    }
  }
}

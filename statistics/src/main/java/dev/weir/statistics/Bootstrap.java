package dev.weir.statistics;

import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * How a mean varies when its numbers are drawn again, with replacement, from themselves (Efron
 * 1979). The cost is numbers times resamples.
 *
 * @param standardError the standard deviation of the means, with resamples - 1
 * @param interval the percentile interval: what the middle share of the means spans. It has no
 *     width when all numbers are the same; for a proportion Wilson's interval is the better one
 */
public record Bootstrap(double standardError, Interval interval) {

  /**
   * Empty for fewer than two numbers.
   *
   * @param resamples how often to draw, at least 2
   * @param seed the same seed gives the same result
   */
  public static Optional<Bootstrap> ofMean(
      double[] values, int resamples, double confidence, long seed) {
    if (resamples < 2) {
      throw new IllegalArgumentException("`resamples` must be >= 2, was " + resamples);
    }
    Interval.requireConfidence(confidence);
    if (values.length < 2) {
      return Optional.empty();
    }
    double mean = Summary.of(values).mean().getAsDouble();
    double[] means = new double[resamples];
    var random = new SplittableRandom(seed);
    for (int i = 0; i < resamples; i++) {
      means[i] = mean + distanceOfResample(values, mean, random);
    }
    Arrays.sort(means);
    double tail = (1 - confidence) / 2;
    var interval =
        new Interval(
            quantile(means, tail),
            quantile(means, 1 - tail),
            confidence,
            Interval.Method.BOOTSTRAP);
    double error = Summary.of(means).standardDeviation().getAsDouble();
    return Optional.of(new Bootstrap(error, interval));
  }

  /** How far the mean of one resample is from the mean of all. */
  private static double distanceOfResample(double[] values, double mean, SplittableRandom random) {
    double sum = 0;
    for (int i = 0; i < values.length; i++) {
      sum += values[random.nextInt(values.length)] - mean;
    }
    return sum / values.length;
  }

  /** Between the two nearest numbers, in proportion. */
  static double quantile(double[] sorted, double share) {
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}

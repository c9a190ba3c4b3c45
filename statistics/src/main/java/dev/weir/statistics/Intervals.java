package dev.weir.statistics;

import dev.weir.statistics.Interval.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.statistics.distribution.BetaDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Confidence intervals, all of them two-sided.
 *
 * <p>Sources: Wilson (1927) and Clopper and Pearson (1934) for a proportion; Student (1908) for a
 * mean; Newcombe (1998, method 10) for the difference of two proportions; Welch (1947) for the
 * difference of two means; Bonett and Price (2012) for that of paired proportions; Korn and
 * Graubard (1998) for the idea of an effective number of samples.
 */
public final class Intervals {

  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

  private Intervals() {}

  /**
   * The interval of a mean:
   *
   * <ul>
   *   <li>all numbers 0 or 1: Wilson's
   *   <li>all from 0 to 1: Wilson's with Student's quantile, and with as many trials as zeros and
   *       ones would need for the same standard error. It stays within 0 and 1, and becomes
   *       Student's where the ends are far away
   *   <li>others: Student's
   * </ul>
   *
   * Empty when the numbers are not 0 or 1 and fewer than two or all the same: they say nothing of
   * how they would vary.
   */
  public static Optional<Interval> ofMean(Summary values, double confidence) {
    Interval.requireConfidence(confidence);
    return values.isBinary()
        ? Optional.of(wilson(values.ones(), values.count(), confidence))
        : ofMean(values, values.standardError(), values.count() - 1.0, confidence)
            .map(
                interval ->
                    interval.method() == Method.WILSON
                        ? interval.as(Method.WILSON_STUDENT)
                        : interval);
  }

  /**
   * The interval of a mean over clusters: as that of independent numbers, with the error over
   * clusters, and with one degree of freedom less than there are clusters. Zeros and ones never
   * count for more trials than there are; when all are 0, or all are 1, the error cannot be seen,
   * and each cluster counts as a single trial. Empty with fewer than two clusters, and where that
   * of independent numbers is.
   */
  public static Optional<Interval> ofMean(ClusteredSummary clustered, double confidence) {
    Interval.requireConfidence(confidence);
    Summary values = clustered.values();
    OptionalDouble error = clustered.standardError();
    if (error.isEmpty() || !values.isBinary()) {
      return ofMean(values, error, clustered.clusters() - 1.0, confidence)
          .map(
              interval ->
                  interval.as(
                      interval.method() == Method.WILSON
                          ? Method.WILSON_CLUSTERED
                          : Method.STUDENT_CLUSTERED));
    }
    double mean = values.mean().getAsDouble();
    double trials =
        values.isConstant()
            ? clustered.clusters()
            : Math.min((double) values.count(), trials(mean, error.getAsDouble()));
    double quantile = studentQuantile(clustered.clusters() - 1.0, confidence);
    return Optional.of(wilson(mean, trials, quantile, confidence).as(Method.WILSON_CLUSTERED));
  }

  private static Optional<Interval> ofMean(
      Summary values, OptionalDouble error, double degreesOfFreedom, double confidence) {
    // Clusters whose sums happen to be the same say nothing of how they would vary.
    if (error.isEmpty() || error.getAsDouble() == 0) {
      return Optional.empty();
    }
    if (!values.isWithinUnit()) {
      return student(values, error, degreesOfFreedom, confidence);
    }
    double mean = values.mean().getAsDouble();
    double quantile = studentQuantile(degreesOfFreedom, confidence);
    return Optional.of(wilson(mean, trials(mean, error.getAsDouble()), quantile, confidence));
  }

  /** How many zeros and ones have that error. */
  private static double trials(double mean, double error) {
    return mean * (1 - mean) / (error * error);
  }

  /**
   * Wilson's score interval: within 0 and 1, close to the stated confidence also for few trials,
   * and never without width.
   */
  public static Interval wilson(long successes, long trials, double confidence) {
    requireProportion(successes, trials);
    Interval.requireConfidence(confidence);
    double share = (double) successes / trials;
    return wilson(share, (double) trials, normalQuantile(confidence), confidence);
  }

  private static Interval wilson(double share, double trials, double z, double confidence) {
    double square = z * z / trials;
    double middle = (share + square / 2) / (1 + square);
    double half = z / (1 + square) * Math.sqrt(share * (1 - share) / trials + square / trials / 4);
    // At the ends the bound is the end itself, which rounding would miss by a little.
    double low = share == 0 ? 0 : Math.max(0, middle - half);
    double high = share == 1 ? 1 : Math.min(1, middle + half);
    return new Interval(low, high, confidence, Method.WILSON);
  }

  /**
   * The interval of Clopper and Pearson, which holds the true proportion at least as often as
   * stated, whatever that proportion is; wider than Wilson's for it.
   */
  public static Interval clopperPearson(long successes, long trials, double confidence) {
    requireProportion(successes, trials);
    Interval.requireConfidence(confidence);
    double tail = (1 - confidence) / 2;
    long failures = trials - successes;
    double low =
        successes == 0
            ? 0
            : BetaDistribution.of((double) successes, failures + 1.0)
                .inverseCumulativeProbability(tail);
    double high =
        failures == 0
            ? 1
            : BetaDistribution.of(successes + 1.0, (double) failures)
                .inverseSurvivalProbability(tail);
    return new Interval(low, high, confidence, Method.CLOPPER_PEARSON);
  }

  /** Student's interval of a mean; empty for fewer than two numbers or numbers all the same. */
  public static Optional<Interval> student(Summary values, double confidence) {
    Interval.requireConfidence(confidence);
    return student(values, values.standardError(), values.count() - 1.0, confidence);
  }

  private static Optional<Interval> student(
      Summary values, OptionalDouble error, double degreesOfFreedom, double confidence) {
    if (error.isEmpty() || values.isConstant()) {
      return Optional.empty();
    }
    double half = studentQuantile(degreesOfFreedom, confidence) * error.getAsDouble();
    double mean = values.mean().getAsDouble();
    return Optional.of(new Interval(mean - half, mean + half, confidence, Method.STUDENT));
  }

  /**
   * The interval of a mean of differences that are all the same. They do not show how they vary,
   * but bound how many others there can be: a share of {@code 1 - (1 - confidence)^(1 / count)},
   * which are taken to be anything from 0 to twice the difference.
   */
  static Interval equalPaired(double difference, int count, double confidence) {
    Interval.requireConfidence(confidence);
    double others = 1 - Math.pow(1 - confidence, 1.0 / count);
    double half = Math.abs(difference) * others;
    return new Interval(difference - half, difference + half, confidence, Method.EQUAL_PAIRED);
  }

  /** Newcombe's interval of the first proportion minus the second. */
  public static Interval newcombe(
      long successes, long trials, long otherSuccesses, long otherTrials, double confidence) {
    Interval one = wilson(successes, trials, confidence);
    Interval other = wilson(otherSuccesses, otherTrials, confidence);
    double share = (double) successes / trials;
    double otherShare = (double) otherSuccesses / otherTrials;
    double difference = share - otherShare;
    double below = Math.hypot(share - one.low(), other.high() - otherShare);
    double above = Math.hypot(one.high() - share, otherShare - other.low());
    return new Interval(
        Math.max(-1, difference - below),
        Math.min(1, difference + above),
        confidence,
        Method.NEWCOMBE);
  }

  /**
   * The interval of Bonett and Price (2012) for a proportion minus another one of the same things:
   * with n pairs of zeros and ones, of which some went up and others down. One is added to either,
   * and two to the pairs, so that it has width also where none or all differ.
   */
  public static Interval bonettPrice(long up, long down, long pairs, double confidence) {
    Interval.requireConfidence(confidence);
    if (up < 0 || down < 0 || pairs < 1 || up + down > pairs) {
      throw new IllegalArgumentException(
          "`up` and `down` must be from 0 to `pairs` together, were %s, %s and %s"
              .formatted(up, down, pairs));
    }
    double ups = (up + 1.0) / (pairs + 2.0);
    double downs = (down + 1.0) / (pairs + 2.0);
    double middle = ups - downs;
    double half =
        normalQuantile(confidence) * Math.sqrt((ups + downs - middle * middle) / (pairs + 2.0));
    return new Interval(
        Math.max(-1, middle - half), Math.min(1, middle + half), confidence, Method.BONETT_PRICE);
  }

  /**
   * Welch's interval of the first mean minus the second, for groups that may vary differently.
   * Empty when a group has fewer than two numbers, or neither varies.
   */
  public static Optional<Interval> welch(Summary values, Summary others, double confidence) {
    Interval.requireConfidence(confidence);
    OptionalDouble error = values.standardError();
    OptionalDouble otherError = others.standardError();
    if (error.isEmpty() || otherError.isEmpty() || (values.isConstant() && others.isConstant())) {
      return Optional.empty();
    }
    double variance = error.getAsDouble() * error.getAsDouble();
    double otherVariance = otherError.getAsDouble() * otherError.getAsDouble();
    double both = variance + otherVariance;
    double degreesOfFreedom =
        both
            * both
            / (variance * variance / (values.count() - 1)
                + otherVariance * otherVariance / (others.count() - 1));
    double half = studentQuantile(degreesOfFreedom, confidence) * Math.sqrt(both);
    double difference = values.mean().getAsDouble() - others.mean().getAsDouble();
    return Optional.of(
        new Interval(difference - half, difference + half, confidence, Method.WELCH));
  }

  private static double normalQuantile(double confidence) {
    return NORMAL.inverseSurvivalProbability((1 - confidence) / 2);
  }

  private static double studentQuantile(double degreesOfFreedom, double confidence) {
    return TDistribution.of(degreesOfFreedom).inverseSurvivalProbability((1 - confidence) / 2);
  }

  private static void requireProportion(long successes, long trials) {
    if (trials < 1) {
      throw new IllegalArgumentException("`trials` must be >= 1, was " + trials);
    }
    if (successes < 0 || successes > trials) {
      throw new IllegalArgumentException(
          "`successes` must be from 0 to `trials` (%s), was %s".formatted(trials, successes));
    }
  }
}

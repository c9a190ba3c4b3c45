package dev.weir.statistics;

import java.util.OptionalDouble;

/**
 * What is known of numbers seen one by one, none of which is kept.
 *
 * <p>Mean and squares are updated as Welford (1962) does: with delta = x - mean, the mean moves by
 * delta / n and the squares grow by delta * (x - new mean), so nothing is lost when the numbers are
 * large and close together. Not thread-safe.
 */
public final class Summary {

  private long count;
  private double mean;
  private double squares;
  private double least = Double.POSITIVE_INFINITY;
  private double most = Double.NEGATIVE_INFINITY;
  private long zeros;
  private long ones;

  public static Summary of(double... values) {
    var summary = new Summary();
    for (double value : values) {
      summary.add(value);
    }
    return summary;
  }

  /** Takes one more number, which must be finite. */
  public void add(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("`value` must be finite, was " + value);
    }
    count++;
    double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
    least = Math.min(least, value);
    most = Math.max(most, value);
    if (value == 0) {
      zeros++;
    } else if (value == 1) {
      ones++;
    }
  }

  public long count() {
    return count;
  }

  /** Empty without numbers. Of zeros and ones it is exactly their share. */
  public OptionalDouble mean() {
    if (count == 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(isBinary() ? (double) ones / count : mean);
  }

  /** The variance of what the numbers were drawn from, estimated with n - 1; needs two numbers. */
  public OptionalDouble variance() {
    if (count < 2) {
      return OptionalDouble.empty();
    }
    // Rounding may leave a trace of spread where there is none.
    return OptionalDouble.of(isConstant() ? 0 : squares / (count - 1));
  }

  /** The square root of the variance. */
  public OptionalDouble standardDeviation() {
    return Optionals.map(variance(), Math::sqrt);
  }

  /** How far the mean would vary from draw to draw, if the numbers do not depend on each other. */
  public OptionalDouble standardError() {
    return Optionals.map(variance(), variance -> Math.sqrt(variance / count));
  }

  /** Whether there are numbers, and each is 0 or 1: the mean is then a proportion. */
  public boolean isBinary() {
    return count > 0 && zeros + ones == count;
  }

  /** Whether there are numbers, and none is below 0 or above 1. */
  boolean isWithinUnit() {
    return least >= 0 && most <= 1 && count > 0;
  }

  /** Whether all numbers are the same. */
  boolean isConstant() {
    return least == most;
  }

  long ones() {
    return ones;
  }
}

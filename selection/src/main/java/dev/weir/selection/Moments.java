package dev.weir.selection;

/** Means and squares of values. */
final class Moments {

  private Moments() {}

  /** NaN without values. */
  static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  /** The sum of squared distances to the mean. */
  static double squares(double[] values, double mean) {
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    return squares;
  }

  /**
   * The squared error of the mean of values from 0 to 1, as if half a success and half a failure
   * had been seen too: never 0.
   */
  static double squaredError(double[] values) {
    int n = values.length;
    double mean = (sum(values) + 0.5) / (n + 1);
    double squares = squares(values, mean) + 0.5 * (1 - mean) * (1 - mean) + 0.5 * mean * mean;
    return squares / (n + 1) / (n + 1);
  }

  private static double sum(double[] values) {
    return values.length == 0 ? 0 : mean(values) * values.length;
  }
}

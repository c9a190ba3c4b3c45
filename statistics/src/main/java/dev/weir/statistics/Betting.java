package dev.weir.statistics;

/**
 * Intervals and evidence that stay valid however often, and whenever, one looks: also after a look
 * that decided whether to go on.
 *
 * <p>One bets against a claimed mean m. With values x from 0 to 1 and a stake g below 1, the money
 * grows by 1 + g (x / m - 1) at each value; if the mean is at most m, it is expected not to grow,
 * and by Ville's inequality it ever reaches 1/α with a chance of at most α. No single stake suits
 * all data, so the money is spread over many from the start. The result does not depend on the
 * order of the values.
 *
 * <p>Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting
 * (2024), with a mixture of constant stakes.
 */
public final class Betting {

  private static final int STAKES = 16;
  private static final double SMALLEST_STAKE = 0.01;
  private static final double LARGEST_STAKE = 0.95;
  private static final int HALVINGS = 40;

  private Betting() {}

  /**
   * The interval of the mean of values from 0 to 1; from 0 to 1 without values. Never without
   * width.
   */
  public static Interval ofMean(double[] values, double confidence) {
    Interval.requireConfidence(confidence);
    double[] mirrored = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      requireWithin(values[i], 0);
      mirrored[i] = 1 - values[i];
    }
    double needed = Math.log(2 / (1 - confidence));
    return new Interval(
        lowest(values, needed), 1 - lowest(mirrored, needed), confidence, Interval.Method.BETTING);
  }

  /** The interval of the mean of differences from -1 to 1. */
  public static Interval ofDifference(double[] differences, double confidence) {
    Interval half = ofMean(halves(differences), confidence);
    return new Interval(2 * half.low() - 1, 2 * half.high() - 1, confidence, half.method());
  }

  /**
   * The logarithm of the evidence that the mean of differences from -1 to 1 is above {@code least}:
   * if it is not, the evidence ever exceeds log(1/α) with a chance of at most α.
   */
  public static double evidenceAbove(double least, double[] differences) {
    requireWithin(least, -1);
    return logMoney(halves(differences), (least + 1) / 2);
  }

  /** The same for values from 0 to 1, and for a claimed mean between them. */
  public static double evidenceMeanAbove(double claimed, double[] values) {
    for (double value : values) {
      requireWithin(value, 0);
    }
    return logMoney(values, claimed);
  }

  private static double[] halves(double[] differences) {
    double[] halves = new double[differences.length];
    for (int i = 0; i < differences.length; i++) {
      requireWithin(differences[i], -1);
      halves[i] = (differences[i] + 1) / 2;
    }
    return halves;
  }

  /** The least mean that a bet on higher values does not refute. */
  private static double lowest(double[] values, double needed) {
    double refuted = 0;
    double possible = 1;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (refuted + possible) / 2;
      if (logMoney(values, middle) >= needed) {
        refuted = middle;
      } else {
        possible = middle;
      }
    }
    return refuted;
  }

  /** Of a bet that the mean is above {@code claimed}. */
  private static double logMoney(double[] values, double claimed) {
    if (claimed <= 0) {
      return 0;
    }
    double[] logs = new double[STAKES];
    double most = Double.NEGATIVE_INFINITY;
    for (int k = 0; k < STAKES; k++) {
      double stake = SMALLEST_STAKE * Math.pow(LARGEST_STAKE / SMALLEST_STAKE, k / (STAKES - 1.0));
      logs[k] = logProduct(values, 1 - stake, stake / claimed);
      most = Math.max(most, logs[k]);
    }
    double sum = 0;
    for (double log : logs) {
      sum += Math.exp(log - most);
    }
    return most + Math.log(sum / STAKES);
  }

  /** The logarithm of the product of base + slope x, with few calls of the logarithm. */
  private static double logProduct(double[] values, double base, double slope) {
    double log = 0;
    double product = 1;
    for (double value : values) {
      product *= base + slope * value;
      if (product < 1e-100 || product > 1e100) {
        log += Math.log(product);
        product = 1;
      }
    }
    return log + Math.log(product);
  }

  private static void requireWithin(double value, double least) {
    if (!(value >= least && value <= 1)) {
      throw new IllegalArgumentException(
          "a value must be from %s to 1, was %s".formatted(least, value));
    }
  }
}

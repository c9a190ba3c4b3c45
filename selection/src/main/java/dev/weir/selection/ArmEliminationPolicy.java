package dev.weir.selection;

import java.util.OptionalInt;

/**
 * Arm elimination as AgentOpt documents it: rounds of growing batches; an arm leaves when its mean
 * plus c standard errors is below the mean minus c standard errors of another.
 *
 * <p>As documented, a standard error without variance is 0. Otherwise half a success and half a
 * failure are added to each arm, so that no interval is without width.
 */
final class ArmEliminationPolicy implements Policy {

  /** What AgentOpt takes for the deviation of a single value. */
  private static final double DEVIATION_OF_ONE = 0.5;

  private final Selector.ArmElimination selector;
  private final Batches batches;

  ArmEliminationPolicy(Selector.ArmElimination selector) {
    this.selector = selector;
    this.batches = new Batches(selector.initial(), selector.growth());
  }

  @Override
  public Round next(Field field, long remaining) {
    if (field.round() > 1) {
      eliminate(field);
    }
    return batches.next(field, remaining);
  }

  @Override
  public boolean anyArmMayWin() {
    return selector.documented();
  }

  private void eliminate(Field field) {
    int[] active = field.active();
    double[] low = new double[field.arms()];
    double[] high = new double[field.arms()];
    int best = -1;
    for (int arm : active) {
      double[] values = field.values(arm);
      double mean = mean(values);
      double half = selector.confidence() * standardError(values, mean);
      low[arm] = mean - half;
      high[arm] = mean + half;
      if (values.length > 0 && (best < 0 || low[arm] > low[best])) {
        best = arm;
      }
    }
    for (int arm : active) {
      if (best >= 0 && field.values(arm).length > 0 && high[arm] < low[best]) {
        field.eliminate(arm, OptionalInt.of(best), "its interval is below another's");
      }
    }
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  private double standardError(double[] values, double mean) {
    int n = values.length;
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    if (selector.documented()) {
      return (n < 2 ? DEVIATION_OF_ONE : Math.sqrt(squares / (n - 1))) / Math.sqrt(n);
    }
    // Two more values, half a success and half a failure each.
    squares += 0.5 * (1 - mean) * (1 - mean) + 0.5 * mean * mean;
    return Math.sqrt(squares / n / n);
  }
}

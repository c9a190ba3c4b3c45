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
    double[] means = field.comparable(active);
    double[] high = new double[field.arms()];
    double bestLow = Double.NEGATIVE_INFINITY;
    int best = -1;
    for (int i = 0; i < active.length; i++) {
      int arm = active[i];
      double[] values = field.values(arm);
      high[arm] = Double.POSITIVE_INFINITY;
      if (values.length >= (selector.documented() ? 1 : field.fewest())) {
        double mean = means[i];
        double half = selector.confidence() * standardError(values, Moments.mean(values));
        high[arm] = mean + half;
        if (mean - half > bestLow) {
          bestLow = mean - half;
          best = arm;
        }
      }
    }
    for (int arm : active) {
      if (high[arm] < bestLow) {
        field.eliminate(arm, OptionalInt.of(best), "its interval is below another's", false);
      }
    }
  }

  private double standardError(double[] values, double mean) {
    if (!selector.documented()) {
      return Math.sqrt(Moments.squaredError(values));
    }
    int n = values.length;
    double deviation =
        n < 2 ? DEVIATION_OF_ONE : Math.sqrt(Moments.squares(values, mean) / (n - 1));
    return deviation / Math.sqrt(n);
  }
}

package dev.weir.selection;

/** The policy of each selector. */
final class Policies {

  private Policies() {}

  static Policy of(SelectionPlan plan) {
    return switch (plan.selector()) {
      case Selector.BruteForce() -> new BruteForcePolicy();
      case Selector.RandomSearch selector -> new RandomPolicy(selector);
      case Selector.HillClimbing selector -> new ClimbingPolicy(selector, plan.seed());
      case Selector.ArmElimination selector -> new ArmEliminationPolicy(selector);
      case Selector.ThresholdElimination selector -> new ThresholdPolicy(selector);
      case Selector.EpsilonLucb selector -> new LucbPolicy(selector);
      case Selector.BayesianOptimisation selector -> new BayesianPolicy(selector, plan.seed());
      case Selector.SequentialHalving selector -> new HalvingPolicy(selector);
      case Selector.LeaderElimination selector -> PairedPolicy.of(selector, plan);
      case Selector.PairedElimination selector -> PairedPolicy.of(selector, plan);
      case Selector.TopTwo selector -> new TopTwoPolicy(selector, plan.seed());
    };
  }

  /**
   * Most selectors look for the highest value only, and would give up the arms that other
   * objectives are about.
   */
  static void requireFit(Selector selector, Objective objective) {
    boolean highest =
        switch (objective) {
          case Objective.Score() -> true;
          case Objective.Weighted _ -> true;
          case Objective.Within _ -> false;
          case Objective.Pareto() -> false;
        };
    boolean fitsAll =
        switch (selector) {
          case Selector.BruteForce _,
              Selector.RandomSearch _,
              Selector.LeaderElimination _,
              Selector.PairedElimination _ ->
              true;
          case Selector.HillClimbing _,
              Selector.ArmElimination _,
              Selector.ThresholdElimination _,
              Selector.EpsilonLucb _,
              Selector.BayesianOptimisation _,
              Selector.SequentialHalving _,
              Selector.TopTwo _ ->
              false;
        };
    if (!highest && !fitsAll) {
      throw new IllegalArgumentException(
          "`%s` looks for the highest value only; for this objective use auto, paired_elimination,"
                  .formatted(Selectors.name(selector))
              + " brute_force or random");
    }
  }
}

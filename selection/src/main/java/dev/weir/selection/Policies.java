package dev.weir.selection;

/** The policy of each selector. */
final class Policies {

  private Policies() {}

  static Policy of(SelectionPlan plan) {
    return switch (plan.selector()) {
      case Selector.BruteForce() -> new BruteForcePolicy();
      case Selector.ArmElimination selector -> new ArmEliminationPolicy(selector);
      default -> throw new IllegalArgumentException("later");
    };
  }

  static void requireFit(Selector selector, Objective objective) {}
}

package dev.weir.selection;

/**
 * What is to be selected and how; all that decisions depend on beside the outcomes.
 *
 * @param arms to choose from
 * @param datapoints of the dataset
 * @param selector how evaluations are spent
 * @param objective what is best
 * @param failures what failed evaluations mean
 * @param budget evaluations at most, further attempts included
 * @param delta one minus the confidence of intervals and of "within x points"
 * @param seed of the order of datapoints and of all that is drawn
 */
public record SelectionPlan(
    Arms arms,
    int datapoints,
    Selector selector,
    Objective objective,
    Failures failures,
    long budget,
    double delta,
    long seed) {

  /** What the tables of a selection can hold: some 200 MB. */
  private static final long MOST_EVALUATIONS = 5_000_000;

  public SelectionPlan {
    Checks.atLeast("datapoints", datapoints, 1);
    Checks.chance("delta", delta);
    if ((long) arms.size() * datapoints > MOST_EVALUATIONS) {
      throw new IllegalArgumentException(
          "%d combinations on %d datapoints are more than %d evaluations; take fewer of either"
              .formatted(arms.size(), datapoints, MOST_EVALUATIONS));
    }
    if (budget < arms.size()) {
      throw new IllegalArgumentException(
          "`budget` must allow one look at each of the %d combinations, was %d"
              .formatted(arms.size(), budget));
    }
    Policies.requireFit(selector, objective);
  }

  /** The score, failures as zero, no budget, 95 % confidence. */
  public static SelectionPlan of(Arms arms, int datapoints, Selector selector, long seed) {
    return new SelectionPlan(
        arms,
        datapoints,
        selector,
        new Objective.Score(),
        Failures.DEFAULT,
        Long.MAX_VALUE,
        0.05,
        seed);
  }

  public SelectionPlan objective(Objective other) {
    return new SelectionPlan(arms, datapoints, selector, other, failures, budget, delta, seed);
  }

  public SelectionPlan failures(Failures other) {
    return new SelectionPlan(arms, datapoints, selector, objective, other, budget, delta, seed);
  }

  public SelectionPlan budget(long other) {
    return new SelectionPlan(arms, datapoints, selector, objective, failures, other, delta, seed);
  }

  public SelectionPlan delta(double other) {
    return new SelectionPlan(arms, datapoints, selector, objective, failures, budget, other, seed);
  }

  /** What brute force would need. */
  public long allEvaluations() {
    return (long) arms.size() * datapoints;
  }
}

package dev.weir.selection;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Arms are compared on the same datapoints, and leave when the objective needs them no more:
 *
 * <ul>
 *   <li>the highest value: when the leader is surely better
 *   <li>the least cost within x points: when the leader is surely more than x better, or when an
 *       arm that costs less is surely within x of all others. While there are still cheaper ones
 *       that may be within x, those that may be best stay, since x is counted from them
 *   <li>Pareto: when another is surely better and has neither more cost nor more latency
 * </ul>
 */
final class PairedPolicy implements Policy {

  private final Comparison comparison;
  private final Batches batches;
  private final OptionalDouble confidence;

  /** The chance of error of what is told of arms within some points and of the front. */
  private final double delta;

  private PairedPolicy(
      Comparison comparison, Batches batches, OptionalDouble confidence, double delta) {
    this.comparison = comparison;
    this.batches = batches;
    this.confidence = confidence;
    this.delta = delta;
  }

  static PairedPolicy of(Selector.LeaderElimination selector, SelectionPlan plan) {
    return new PairedPolicy(
        new Comparison.StandardErrors(selector.confidence()),
        new Batches(selector.initial(), selector.growth()),
        OptionalDouble.empty(),
        plan.delta());
  }

  static PairedPolicy of(Selector.PairedElimination selector, SelectionPlan plan) {
    return new PairedPolicy(
        Shown.bets(selector.delta(), plan.arms().size()),
        new Batches(selector.initial(), selector.growth()),
        OptionalDouble.of(1 - selector.delta()),
        selector.delta());
  }

  @Override
  public OptionalDouble confidence() {
    return confidence;
  }

  @Override
  public Round next(Field field, long remaining) {
    if (field.round() > 1) {
      switch (field.plan().objective()) {
        case Objective.Score() -> eliminateBehindLeader(field);
        case Objective.Weighted _ -> eliminateBehindLeader(field);
        case Objective.Within within -> eliminateOutside(field, within);
        case Objective.Pareto() -> eliminateDominated(field);
      }
    }
    return batches.next(field, remaining);
  }

  private void eliminateBehindLeader(Field field) {
    int leader = leader(field);
    boolean isShown = confidence.isPresent();
    for (int arm : field.active()) {
      double[] differences = field.differences(leader, arm);
      if (arm != leader
          && (isShown || differences.length >= field.fewest())
          && comparison.isAbove(0, differences)) {
        field.eliminate(
            arm, OptionalInt.of(leader), "the leader is better on the same datapoints", isShown);
      }
    }
  }

  private void eliminateOutside(Field field, Objective.Within within) {
    // What is told of the winner in the end is held to bets, so nothing less may clear its way.
    var shown = new Shown(field, delta);
    int leader = leader(field);
    for (int arm : field.active()) {
      if (arm != leader && shown.isAbove(within.points(), leader, arm)) {
        field.eliminate(
            arm, OptionalInt.of(leader), "further behind the leader than the points", true);
      }
    }
    int[] active = field.active();
    Optional<Integer> cheapest =
        Arrays.stream(active)
            .filter(arm -> shown.isWithin(within.points(), arm))
            .boxed()
            .min(Comparator.comparingDouble(arm -> Ranking.price(field, within, arm)));
    if (cheapest.isPresent()) {
      eliminateDearer(field, within, cheapest.get(), shown);
    }
  }

  /** One that may be best is needed as long as a cheaper one may be within the points of it. */
  private static void eliminateDearer(
      Field field, Objective.Within within, int cheapest, Shown shown) {
    double least = Ranking.price(field, within, cheapest);
    int[] active = field.active();
    boolean isOpen =
        Arrays.stream(active).anyMatch(arm -> Ranking.price(field, within, arm) < least);
    for (int arm : active) {
      if (Ranking.price(field, within, arm) > least) {
        OptionalInt better =
            Arrays.stream(field.active())
                .filter(
                    other -> other != arm && shown.isAbove(0, /* arm= */ other, /* other= */ arm))
                .findFirst();
        if (better.isPresent() || !isOpen) {
          field.eliminate(
              arm,
              better.isPresent() ? better : OptionalInt.of(cheapest),
              "another is within the points and takes less",
              true);
        }
      }
    }
  }

  private void eliminateDominated(Field field) {
    var shown = new Shown(field, delta);
    int[] active = field.active();
    for (int arm : active) {
      for (int other : active) {
        if (other != arm
            && field.isActive(other)
            && Ranking.takesNoMore(field, other, arm)
            && shown.isAbove(0, /* arm= */ other, /* other= */ arm)) {
          field.eliminate(arm, OptionalInt.of(other), "another is better and takes no more", true);
          break;
        }
      }
    }
  }

  /** The highest mean; of equals the one with fewer failures, the first. */
  private static int leader(Field field) {
    int leader = -1;
    for (int arm : field.active()) {
      if (leader < 0 || isAhead(field, arm, leader)) {
        leader = arm;
      }
    }
    return leader;
  }

  private static boolean isAhead(Field field, int arm, int leader) {
    double ahead = field.ahead(arm, leader);
    return ahead > 0 || (ahead == 0 && field.leftOut(arm) < field.leftOut(leader));
  }
}

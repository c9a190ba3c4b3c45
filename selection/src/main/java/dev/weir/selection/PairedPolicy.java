package dev.weir.selection;

import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Arms are compared on the same datapoints, and leave when the objective needs them no more:
 *
 * <ul>
 *   <li>the highest value: when the leader is surely better
 *   <li>the least cost within x points: when the leader is surely more than x better, or when an
 *       arm that costs no more is surely within x of the leader
 *   <li>Pareto: when another is surely better and has neither more cost nor more latency
 * </ul>
 */
final class PairedPolicy implements Policy {

  private final Comparison comparison;
  private final Batches batches;
  private final OptionalDouble confidence;

  private PairedPolicy(Comparison comparison, Batches batches, OptionalDouble confidence) {
    this.comparison = comparison;
    this.batches = batches;
    this.confidence = confidence;
  }

  static PairedPolicy of(Selector.LeaderElimination selector) {
    return new PairedPolicy(
        new Comparison.StandardErrors(selector.confidence()),
        new Batches(selector.initial(), selector.growth()),
        OptionalDouble.empty());
  }

  /**
   * The chance is split over all ordered pairs of arms, since any may turn out leader and loser.
   */
  static PairedPolicy of(Selector.PairedElimination selector, int arms) {
    double pairs = Math.max(1, (double) arms * (arms - 1));
    return new PairedPolicy(
        new Comparison.Bets(selector.delta() / pairs),
        new Batches(selector.initial(), selector.growth()),
        OptionalDouble.of(1 - selector.delta()));
  }

  @Override
  public OptionalDouble confidence() {
    return confidence;
  }

  @Override
  public Round next(Field field, long remaining) {
    if (field.round() > 1) {
      switch (field.plan().objective()) {
        case Objective.Score() -> eliminateBehindLeader(field, 0);
        case Objective.Weighted _ -> eliminateBehindLeader(field, 0);
        case Objective.Within within -> eliminateOutside(field, within);
        case Objective.Pareto() -> eliminateDominated(field);
      }
    }
    return batches.next(field, remaining);
  }

  private void eliminateBehindLeader(Field field, double points) {
    int leader = leader(field);
    for (int arm : field.active()) {
      if (arm != leader && comparison.isAbove(points, field.differences(leader, arm))) {
        field.eliminate(arm, OptionalInt.of(leader), "the leader is better on the same datapoints");
      }
    }
  }

  private void eliminateOutside(Field field, Objective.Within within) {
    eliminateBehindLeader(field, within.points());
    // What is told of the winner in the end is held to bets, so nothing less may clear its way.
    Comparison bets = new Comparison.Bets(field.plan().delta() / field.arms());
    int[] active = field.active();
    OptionalInt cheapest =
        Arrays.stream(active)
            .filter(arm -> Ranking.isSurelyWithin(field, within, bets, arm, active))
            .boxed()
            .min(Comparator.comparingDouble(arm -> Ranking.price(field, within, arm)))
            .map(OptionalInt::of)
            .orElse(OptionalInt.empty());
    if (cheapest.isPresent()) {
      double least = Ranking.price(field, within, cheapest.getAsInt());
      for (int arm : active) {
        if (Ranking.price(field, within, arm) > least) {
          field.eliminate(arm, cheapest, "another is within the points and takes less");
        }
      }
    }
  }

  private void eliminateDominated(Field field) {
    int[] active = field.active();
    for (int arm : active) {
      for (int other : active) {
        if (other != arm
            && field.isActive(other)
            && Ranking.takesNoMore(field, other, arm)
            && comparison.isAbove(0, field.differences(other, arm))) {
          field.eliminate(arm, OptionalInt.of(other), "another is better and takes no more");
          break;
        }
      }
    }
  }

  /** The highest mean; the first of equals. */
  private static int leader(Field field) {
    int leader = -1;
    double best = Double.NEGATIVE_INFINITY;
    for (int arm : field.active()) {
      double mean = field.mean(arm).orElse(Double.NEGATIVE_INFINITY);
      if (leader < 0 || mean > best) {
        leader = arm;
        best = mean;
      }
    }
    return leader;
  }
}

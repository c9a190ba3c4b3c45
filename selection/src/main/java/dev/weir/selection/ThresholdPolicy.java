package dev.weir.selection;

import dev.weir.statistics.Betting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * Finds the arms above a threshold: after a first batch one datapoint at a time for all arms that
 * are on neither side yet. An arm is on a side when bets on it have won so much that any arm is on
 * the wrong one with a chance of at most delta. Which of the good ones is best is not what it is
 * about, and no confidence is claimed for it.
 */
final class ThresholdPolicy implements Policy {

  private final Selector.ThresholdElimination selector;
  private final List<Integer> above = new ArrayList<>();
  private int upTo;

  ThresholdPolicy(Selector.ThresholdElimination selector) {
    this.selector = selector;
  }

  @Override
  public List<Integer> good() {
    return List.copyOf(above);
  }

  @Override
  public Round next(Field field, long remaining) {
    double needed = Math.log(field.arms() / selector.delta());
    for (int arm : unresolved(field)) {
      double[] values = field.values(arm);
      double[] mirrored = Arrays.stream(values).map(value -> 1 - value).toArray();
      if (Betting.evidenceMeanAbove(selector.threshold(), values) >= needed) {
        above.add(arm);
      } else if (Betting.evidenceMeanAbove(1 - selector.threshold(), mirrored) >= needed) {
        field.eliminate(arm, OptionalInt.empty(), "below the threshold", true);
      }
    }
    int[] unresolved = unresolved(field);
    if (unresolved.length == 0 || upTo == field.datapoints()) {
      return Round.FINISHED;
    }
    int first = selector.initial() > 0 ? selector.initial() : Math.max(1, field.datapoints() / 10);
    long step = upTo == 0 ? Math.clamp(remaining / unresolved.length, 1, first) : 1;
    upTo = (int) Math.min(field.datapoints(), upTo + step);
    var round = new Round(field.arms());
    for (int arm : unresolved) {
      round.upTo(arm, upTo);
    }
    return round;
  }

  private int[] unresolved(Field field) {
    return Arrays.stream(field.active()).filter(arm -> !above.contains(arm)).toArray();
  }
}

package dev.weir.selection;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Sequential halving: ⌈log₂ K⌉ rounds with an equal share of the effort each, after which the
 * better half stays. Effort that a round cannot use, since its arms have seen all datapoints, is
 * left to the rounds after it.
 *
 * <p>Source: Karnin, Koren and Somekh, Almost optimal exploration in multi-armed bandits (2013). As
 * in practice values of former rounds are kept, which the proof does not need.
 */
final class HalvingPolicy implements Policy {

  private final Selector.SequentialHalving selector;
  private int roundsLeft;
  private long effort;
  private int upTo;

  HalvingPolicy(Selector.SequentialHalving selector) {
    this.selector = selector;
  }

  @Override
  public Round next(Field field, long remaining) {
    if (upTo == 0) {
      roundsLeft = Math.max(1, 32 - Integer.numberOfLeadingZeros(field.arms() - 1));
      long wanted = (long) Math.ceil(selector.sampleFraction() * field.plan().allEvaluations());
      effort = Math.min(remaining, Math.max(wanted, field.arms()));
    } else {
      halve(field);
    }
    int[] active = field.active();
    if (roundsLeft == 0 || active.length < (upTo == 0 ? 1 : 2) || upTo == field.datapoints()) {
      return Round.FINISHED;
    }
    long step = effort / roundsLeft / active.length;
    roundsLeft--;
    int from = upTo;
    upTo = (int) Math.min(field.datapoints(), upTo + Math.max(1, step));
    effort -= (long) (upTo - from) * active.length;
    if (effort < 0) {
      return Round.FINISHED;
    }
    var round = new Round(field.arms());
    for (int arm : active) {
      round.upTo(arm, upTo);
    }
    return round;
  }

  private static void halve(Field field) {
    int[] active = field.active();
    double[] means = field.comparable(active);
    // Of equals the first.
    List<Integer> best =
        IntStream.range(0, active.length)
            .boxed()
            .sorted(Comparator.comparingDouble(place -> -means[place]))
            .map(place -> active[place])
            .toList();
    for (int arm : best.subList((best.size() + 1) / 2, best.size())) {
      field.eliminate(arm, OptionalInt.of(best.getFirst()), "in the lower half", false);
    }
  }
}

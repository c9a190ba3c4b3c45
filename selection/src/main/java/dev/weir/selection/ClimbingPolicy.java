package dev.weir.selection;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Hill climbing over combinations. From a random arm that was not tried, neighbours in random
 * order, a batch at a time, each on all datapoints; on to the best of the batch when it is better.
 * A start is over without neighbours left, or when patience or iterations are.
 *
 * <p>AgentOpt's rankings of models by quality and speed are left out: they are out of date the day
 * they are written, and unknown models fall through them.
 */
final class ClimbingPolicy implements Policy {

  private final Selector.HillClimbing selector;
  private final SplittableRandom random;
  private final List<Integer> batch = new ArrayList<>();
  private int current = -1;
  private int startsLeft;
  private int iterations;
  private int misses;

  ClimbingPolicy(Selector.HillClimbing selector, long seed) {
    this.selector = selector;
    this.random = new SplittableRandom(~seed);
    this.startsLeft = selector.numRestarts();
  }

  @Override
  public Round next(Field field, long remaining) {
    climb(field);
    batch.clear();
    if (current >= 0 && iterations < selector.maxIterations() && misses < selector.patience()) {
      draw(field, neighbours(field), selector.batchSize());
    }
    if (batch.isEmpty()) {
      current = -1;
      iterations = 0;
      misses = 0;
      if (startsLeft-- > 0) {
        draw(field, IntStream.range(0, field.arms()).toArray(), 1);
      }
    }
    if (batch.isEmpty()) {
      return Round.FINISHED;
    }
    // With less than one arm's worth left the first is tried on what there is.
    boolean first = field.round() == 1;
    int datapoints = (int) (first ? Math.min(field.datapoints(), remaining) : field.datapoints());
    var round = new Round(field.arms());
    batch.forEach(arm -> round.upTo(arm, datapoints));
    return round;
  }

  private void climb(Field field) {
    if (batch.isEmpty()) {
      return;
    }
    int best = batch.getFirst();
    for (int arm : batch) {
      best = field.ahead(arm, best) > 0 ? arm : best;
    }
    if (current < 0) {
      current = best;
      return;
    }
    iterations++;
    if (field.ahead(best, current) > 0) {
      current = best;
      misses = 0;
    } else {
      misses++;
    }
  }

  private int[] neighbours(Field field) {
    Arms arms = field.plan().arms();
    return IntStream.range(0, field.arms())
        .filter(arm -> arms.distance(arm, current) == 1)
        .toArray();
  }

  /** Up to so many that were not tried. */
  private void draw(Field field, int[] from, int count) {
    int[] order = RandomPolicy.shuffled(from.length, random);
    for (int i = 0; i < order.length && batch.size() < count; i++) {
      int arm = from[order[i]];
      if (field.known(arm) == 0 && field.isActive(arm)) {
        batch.add(arm);
      }
    }
  }

  @Override
  public boolean looksAtAll() {
    return false;
  }
}

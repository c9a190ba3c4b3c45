package dev.weir.selection;

import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Top-two Thompson sampling: what is believed of each mean is a normal distribution; one draw of
 * all names a leader, further draws a rival that beats it, and both see their next datapoints.
 *
 * <p>Source: Russo, Simple Bayesian algorithms for best-arm identification (2020).
 */
final class TopTwoPolicy implements Policy {

  /** Draws for a rival; then the one with the second highest draw is taken. */
  private static final int MOST_DRAWS = 50;

  private final Selector.TopTwo selector;
  private final SplittableRandom random;
  private double[] means = {};
  private double[] errors = {};
  private int[] counts = {};
  private long effort;

  TopTwoPolicy(Selector.TopTwo selector, long seed) {
    this.selector = selector;
    this.random = new SplittableRandom(~seed);
  }

  @Override
  public Round next(Field field, long remaining) {
    int batch =
        selector.batch() > 0
            ? Math.min(selector.batch(), field.datapoints())
            : Math.max(1, field.datapoints() / 20);
    var round = new Round(field.arms());
    if (field.round() == 1) {
      means = new double[field.arms()];
      errors = new double[field.arms()];
      counts = new int[field.arms()];
      long wanted = (long) Math.ceil(selector.sampleFraction() * field.plan().allEvaluations());
      effort = Math.min(remaining, Math.max(wanted, field.arms()));
      int first = (int) Math.min(batch, effort / field.arms());
      for (int arm : field.active()) {
        round.upTo(arm, first);
      }
    } else {
      refresh(field);
      int[] open = field.active();
      if (open.length < 2) {
        return Round.FINISHED;
      }
      int leader = highest(draw(open), open, -1);
      int rival = rival(open, leader);
      for (int arm : new int[] {leader, rival}) {
        round.upTo(arm, Math.min(field.datapoints(), field.known(arm) + batch));
      }
      if (round.size(field) == 0) {
        round = leastKnown(field, open, batch);
      }
    }
    effort -= round.size(field);
    return effort < 0 || round.size(field) == 0 ? Round.FINISHED : round;
  }

  /** Both have seen all datapoints: the effort goes to the best of those that have not. */
  private Round leastKnown(Field field, int[] open, int batch) {
    double[] draw = draw(open);
    for (int i = 0; i < open.length; i++) {
      if (field.known(open[i]) == field.datapoints()) {
        draw[i] = Double.NEGATIVE_INFINITY;
      }
    }
    int arm = highest(draw, open, -1);
    return new Round(field.arms())
        .upTo(arm, Math.min(field.datapoints(), field.known(arm) + batch));
  }

  private int rival(int[] open, int leader) {
    int rival = leader;
    for (int i = 0; i < MOST_DRAWS && rival == leader; i++) {
      rival = highest(draw(open), open, -1);
    }
    return rival == leader ? highest(draw(open), open, leader) : rival;
  }

  private double[] draw(int[] open) {
    double[] draw = new double[open.length];
    for (int i = 0; i < open.length; i++) {
      draw[i] = means[open[i]] + errors[open[i]] * random.nextGaussian();
    }
    return draw;
  }

  private static int highest(double[] draw, int[] open, int without) {
    int best = -1;
    for (int i = 0; i < open.length; i++) {
      if (open[i] != without && (best < 0 || draw[i] > draw[best])) {
        best = i;
      }
    }
    return open[best];
  }

  private void refresh(Field field) {
    means = field.comparable(IntStream.range(0, counts.length).toArray());
    for (int arm = 0; arm < counts.length; arm++) {
      if (counts[arm] < field.known(arm)) {
        double[] values = field.values(arm);
        counts[arm] = field.known(arm);
        errors[arm] = Math.sqrt(Moments.squaredError(values));
      }
    }
  }
}

package dev.weir.selection;

import dev.weir.selection.GaussianProcess.Belief;
import dev.weir.selection.GaussianProcess.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Bayesian optimisation: a few random arms on all datapoints, then those of which the greatest
 * improvement is expected. Improvement is over the highest mean that is believed, not over the
 * luckiest measurement. Each arm of a batch is chosen as if those before it had come out as
 * believed, so that a batch is not many times the same guess.
 */
final class BayesianPolicy implements Policy {

  private final Selector.BayesianOptimisation selector;
  private final SplittableRandom random;
  private int armsLeft = -1;

  BayesianPolicy(Selector.BayesianOptimisation selector, long seed) {
    this.selector = selector;
    this.random = new SplittableRandom(~seed);
  }

  @Override
  public Round next(Field field, long remaining) {
    List<Integer> chosen;
    int datapoints = field.datapoints();
    boolean isFirst = armsLeft < 0;
    if (isFirst) {
      int wanted = Math.max(2, (int) Math.ceil(selector.sampleFraction() * field.arms()));
      long affordable = Math.max(1, remaining / datapoints);
      armsLeft = (int) Math.min(Math.min(wanted, field.arms()), affordable);
      datapoints = (int) Math.min(datapoints, remaining);
      int first = Math.min(armsLeft, 2 * (field.plan().arms().nodes().size() + 1));
      chosen =
          IntStream.of(RandomPolicy.shuffled(field.arms(), random)).limit(first).boxed().toList();
    } else {
      chosen = mostPromising(field, Math.min(selector.batchSize(), armsLeft));
    }
    if (chosen.isEmpty()) {
      return Round.FINISHED;
    }
    armsLeft -= chosen.size();
    var round = new Round(field.arms());
    for (int arm : chosen) {
      round.upTo(arm, datapoints);
    }
    return isFirst ? round.oneByOne() : round;
  }

  private static List<Integer> mostPromising(Field field, int count) {
    List<Point> points = new ArrayList<>();
    List<Integer> untried = new ArrayList<>();
    double[] means = field.comparable(IntStream.range(0, field.arms()).toArray());
    for (int arm = 0; arm < field.arms(); arm++) {
      double[] values = field.values(arm);
      if (values.length > 0) {
        points.add(new Point(arm, means[arm], Moments.squaredError(values)));
      } else if (field.known(arm) == 0 && field.isActive(arm)) {
        untried.add(arm);
      }
    }
    List<Integer> chosen = new ArrayList<>();
    while (chosen.size() < count && !untried.isEmpty() && !points.isEmpty()) {
      var process = new GaussianProcess(field.plan().arms(), points);
      double best =
          points.stream().mapToDouble(point -> process.belief(point.arm()).mean()).max().orElse(0);
      int next = untried.getFirst();
      double most = Double.NEGATIVE_INFINITY;
      for (int arm : untried) {
        double improvement = improvement(process.belief(arm), best);
        if (improvement > most) {
          most = improvement;
          next = arm;
        }
      }
      chosen.add(next);
      untried.remove(Integer.valueOf(next));
      double error = points.getFirst().squaredError();
      points.add(new Point(next, process.belief(next).mean(), error));
    }
    return chosen;
  }

  /** How much more than {@code best} is to be expected, less counting as nothing. */
  static double improvement(Belief belief, double best) {
    if (belief.deviation() == 0) {
      return Math.max(0, belief.mean() - best);
    }
    double z = (belief.mean() - best) / belief.deviation();
    return belief.deviation() * (z * below(z) + Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI));
  }

  /** The share of a normal distribution below z, to 7 digits (Abramowitz and Stegun 26.2.17). */
  private static double below(double z) {
    double t = 1 / (1 + 0.2316419 * Math.abs(z));
    double tail =
        Math.exp(-z * z / 2)
            / Math.sqrt(2 * Math.PI)
            * t
            * (0.319381530
                + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    return z > 0 ? 1 - tail : tail;
  }

  @Override
  public boolean looksAtAll() {
    return false;
  }
}

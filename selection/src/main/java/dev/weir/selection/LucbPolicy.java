package dev.weir.selection;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * KL-LUCB: the arm with the highest mean and the one with the highest upper bound among the others
 * are tried on their next datapoint, until that bound is at most epsilon above the lower bound of
 * the first.
 *
 * <p>Bounds are those of Kullback and Leibler: the means q with n d(mean, q) at most β, where d is
 * the divergence of two coins. β = log(x) + log log(x), x = 405.5 K t^1.1 / δ in round t, for which
 * the winner is more than epsilon below the best with a chance of at most δ.
 *
 * <p>Source: Kaufmann and Kalyanakrishnan, Information complexity in bandit subset selection
 * (2013).
 */
final class LucbPolicy implements Policy {

  private static final double FACTOR = 405.5;
  private static final double EXPONENT = 1.1;
  private static final int HALVINGS = 30;

  private final Selector.EpsilonLucb selector;
  private double[] means = {};
  private int[] counts = {};
  private int[] seen = {};
  private int time;
  private OptionalInt decidedFor = OptionalInt.empty();
  // What the bound of an arm may be at most for the claim to hold; set when it is decided.
  private double highest;

  LucbPolicy(Selector.EpsilonLucb selector) {
    this.selector = selector;
  }

  @Override
  public OptionalDouble confidence() {
    return decidedFor.isPresent()
        ? OptionalDouble.of(1 - selector.delta())
        : OptionalDouble.empty();
  }

  @Override
  public OptionalInt decidedFor() {
    return decidedFor;
  }

  @Override
  public boolean holdsBeside(int arm) {
    return upper(means[arm], counts[arm], rate(means.length)) <= highest;
  }

  @Override
  public Round next(Field field, long remaining) {
    var round = new Round(field.arms());
    if (time++ == 0) {
      means = new double[field.arms()];
      counts = new int[field.arms()];
      seen = new int[field.arms()];
      long affordable = Math.max(1, remaining / field.arms());
      int initial = (int) Math.min(Math.min(selector.initial(), field.datapoints()), affordable);
      for (int arm : field.active()) {
        round.upTo(arm, initial);
      }
      return round;
    }
    refresh(field);
    int[] active = field.active();
    if (active.length < 2) {
      Arrays.stream(active).forEach(this::decideFor);
      return Round.FINISHED;
    }
    double rate = rate(field.arms());
    int leader = -1;
    for (int arm : active) {
      if (leader < 0 || means[arm] > means[leader]) {
        leader = arm;
      }
    }
    int rival = -1;
    double rivalBound = 0;
    for (int arm : active) {
      if (arm != leader && (rival < 0 || isPossible(arm, rivalBound, rate))) {
        rival = arm;
        rivalBound = upper(means[arm], counts[arm], rate);
      }
    }
    if (rivalBound - lower(leader, rate) <= selector.epsilon()) {
      decideFor(leader);
      return Round.FINISHED;
    }
    int[] both = {leader, rival};
    for (int arm : both) {
      round.upTo(arm, Math.min(field.datapoints(), field.known(arm) + 1));
    }
    return round.size(field) == 0 ? Round.FINISHED : round;
  }

  private void decideFor(int arm) {
    decidedFor = OptionalInt.of(arm);
    highest = lower(arm, rate(means.length)) + selector.epsilon();
  }

  /** A lower bound is an upper one of the mirrored values. */
  private double lower(int arm, double rate) {
    return 1 - upper(1 - means[arm], counts[arm], rate);
  }

  /** Only what changed: two arms in most rounds. */
  private void refresh(Field field) {
    for (int arm = 0; arm < counts.length; arm++) {
      if (seen[arm] < field.known(arm)) {
        double[] values = field.values(arm);
        means[arm] = values.length == 0 ? 0 : Arrays.stream(values).average().orElse(0);
        // Datapoints that are left out say nothing.
        counts[arm] = values.length;
        seen[arm] = field.known(arm);
      }
    }
  }

  private double rate(int arms) {
    double x = FACTOR * arms * Math.pow(time, EXPONENT) / selector.delta();
    return Math.log(x) + Math.log(Math.log(x));
  }

  /** Whether the upper bound of an arm is above a value; cheaper than to find it. */
  private boolean isPossible(int arm, double value, double rate) {
    return value < 1 && (means[arm] >= value || counts[arm] * divergence(means[arm], value) < rate);
  }

  private static double upper(double mean, int count, double rate) {
    double low = mean;
    double high = 1;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      if (count * divergence(mean, middle) > rate) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  private static double divergence(double mean, double other) {
    return part(mean, other) + part(1 - mean, 1 - other);
  }

  private static double part(double share, double other) {
    return share == 0 ? 0 : other == 0 ? Double.POSITIVE_INFINITY : share * Math.log(share / other);
  }
}

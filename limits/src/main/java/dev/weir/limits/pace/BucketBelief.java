package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.BeliefState;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * What a hidden bucket may be: a grid of refills and sizes, weighed by which requests were let
 * through and which were refused.
 *
 * <p>A refusal proves that the bucket was empty, so each interval between two refusals is judged by
 * itself: a hypothesis that would have been overdrawn by what was let through is too small, and one
 * that would have held enough for what was refused is too large. How long it took and how much was
 * let through says more than that there was a refusal, so a handful of them is enough.
 *
 * <p>A bound on what a single refusal can say keeps a stray one from outweighing all that was let
 * through.
 */
final class BucketBelief {

  private static final int RATES = 32;
  private static final int BURSTS = 10;

  /** Rates below the first refused one by more than this are not considered at first. */
  private static final double SPAN = 1_500;

  /** Units by which what a bucket holds is not known. */
  private static final double BLUR = 0.2;

  /** A refusal may come without any reason: it cannot outweigh all that was let through. */
  private static final double STRAY = 0.002;

  /** How much an event counts that repeats others. */
  private static final double REPEATED = 0.3;

  /** So much more than enough, and a request is let through for certain. */
  private static final double SURE = 6;

  private static final double MOST_COST = 60;

  /** A hypothesis with such odds does not come back. */
  private static final double HOPELESS = -40;

  /** Of a long interval, the end says enough. */
  private static final int MOST_EVENTS = 1_500;

  /** What share of a step of the grid a rate may be off. */
  private static final double GRID_DOUBT = 0.3;

  private static final double JITTER_SECONDS = 0.02;

  /** Older intervals count for less: limits change. */
  private static final double FORGETTING = 0.9;

  /** No hypothesis explains an interval that costs the best one more than this. */
  private static final double SURPRISE = 14;

  /** Limits below this many units a second are rare, by this power of how far below they are. */
  private static final double USUAL_RATE = 0.5;

  private static final double RARITY = 1.5;

  /** What a believed source adds to the odds: some refusals outweigh it. */
  private static final double FAVOR = 4;

  private double[] rates = {};
  private double[] bursts = {};

  /** The logarithms of the odds: rates by bursts. */
  private double[] odds = {};

  /** Of the last interval: how many came while others were refused. */
  private int mixedEvents;

  BucketBelief() {}

  BucketBelief(BeliefState state) {
    rates = state.rates().stream().mapToDouble(Double::doubleValue).toArray();
    bursts = state.bursts().stream().mapToDouble(Double::doubleValue).toArray();
    odds = state.odds().stream().mapToDouble(Double::doubleValue).toArray();
  }

  BeliefState state() {
    return new BeliefState(list(rates), list(bursts), list(odds));
  }

  private static List<Double> list(double[] values) {
    return DoubleStream.of(values).boxed().toList();
  }

  boolean isEmpty() {
    return rates.length == 0;
  }

  void forget() {
    rates = new double[0];
    bursts = new double[0];
    odds = new double[0];
  }

  /**
   * Begins with anything up to a rate.
   *
   * @param most the largest refill that is possible
   * @param largest the largest size that is possible, in units
   * @param unit what a request usually takes
   */
  void begin(double most, double largest, double unit) {
    begin(most / SPAN, most, largest, unit);
  }

  /** Begins with anything between two rates. */
  void begin(double least, double most, double largest, double unit) {
    rates = grid(least, most, RATES);
    bursts = grid(unit, Math.max(2, largest) * unit, BURSTS);
    odds = new double[rates.length * bursts.length];
    for (int i = 0; i < odds.length; i++) {
      // Few limits are lower, and a search below a limit takes its time.
      odds[i] = -RARITY * Math.max(0, Math.log(USUAL_RATE * unit / rates[i / bursts.length]));
    }
  }

  /** A source that is believed says that the rate lies between these two. */
  void favor(double least, double most) {
    for (int i = 0; i < odds.length; i++) {
      double rate = rates[i / bursts.length];
      odds[i] += rate >= least && rate <= most ? FAVOR : 0;
    }
  }

  /** The largest rate that is considered. */
  double most() {
    return rates[rates.length - 1];
  }

  /** Considers larger rates, too, as likely as the largest until now. */
  void widen(double most) {
    double[] wider = grid(rates[0], most, RATES);
    move(wider);
  }

  private static double[] grid(double least, double most, int size) {
    double[] grid = new double[size];
    for (int i = 0; i < size; i++) {
      grid[i] = least * Math.pow(most / least, (double) i / (size - 1));
    }
    return grid;
  }

  /**
   * Takes in what was let through since a moment, and that the next one was refused.
   *
   * @param full whether the bucket was full at that moment; else it was empty
   * @param cost of the refused request
   * @return whether some hypothesis explains it
   */
  boolean refused(
      SendTotals sends, double from, boolean full, double sentAt, double cost, double unit) {
    double[] costs = costs(sends, from, full, sentAt, unit, cost);
    double least = Double.POSITIVE_INFINITY;
    for (double value : costs) {
      least = Math.min(least, value);
    }
    for (int i = 0; i < odds.length; i++) {
      odds[i] = FORGETTING * odds[i] - costs[i];
    }
    normalize();
    refine();
    return least < SURPRISE + REPEATED * mixedEvents;
  }

  /** As {@link #quantile}, with what has happened since a refusal, which does not yet count. */
  double quantileIf(SendTotals sends, double from, double until, double unit, double share) {
    double[] costs = costs(sends, from, false, until, unit, 0);
    double[] before = odds;
    odds = before.clone();
    for (int i = 0; i < odds.length; i++) {
      odds[i] -= costs[i];
    }
    normalize();
    double quantile = quantile(share);
    odds = before;
    return quantile;
  }

  /** The rate below which the truth lies with this probability. */
  double quantile(double share) {
    double[] weights = rateWeights();
    double sum = DoubleStream.of(weights).sum();
    double passed = 0;
    for (int i = 0; i < rates.length; i++) {
      double next = passed + weights[i] / sum;
      if (next >= share) {
        if (i == 0) {
          return rates[0];
        }
        double within = (share - passed) / (next - passed);
        return rates[i - 1] * Math.pow(rates[i] / rates[i - 1], within);
      }
      passed = next;
    }
    return rates[rates.length - 1];
  }

  /** How many units the bucket holds at least, with this probability. */
  double burst(double probability) {
    double[] weights = new double[bursts.length];
    for (int i = 0; i < odds.length; i++) {
      weights[i % bursts.length] += Math.exp(odds[i]);
    }
    double sum = DoubleStream.of(weights).sum();
    double passed = 0;
    for (int i = 0; i < bursts.length; i++) {
      passed += weights[i] / sum;
      if (passed > 1 - probability) {
        return bursts[i];
      }
    }
    return bursts[bursts.length - 1];
  }

  private double[] rateWeights() {
    double[] weights = new double[rates.length];
    for (int i = 0; i < odds.length; i++) {
      weights[i / bursts.length] += Math.exp(odds[i]);
    }
    return weights;
  }

  private void normalize() {
    double best = Double.NEGATIVE_INFINITY;
    for (double value : odds) {
      best = Math.max(best, value);
    }
    for (int i = 0; i < odds.length; i++) {
      odds[i] -= best;
    }
  }

  /** Draws a finer grid where the weight is, once most of it lies in a part of the grid. */
  private void refine() {
    double low = quantile(0.02);
    double high = quantile(0.98);
    double least = rates[0];
    double most = rates[rates.length - 1];
    if (Math.log(high / low) > 0.4 * Math.log(most / least) && high < 0.97 * most) {
      return;
    }
    // Where it lies at the edge, the truth may lie outside.
    double[] finer =
        grid(low / (low < 1.03 * least ? 2 : 1.15), high * (high > 0.97 * most ? 2 : 1.15), RATES);
    move(finer);
  }

  private void move(double[] finer) {
    double least = rates[0];
    double most = rates[rates.length - 1];
    double[] moved = new double[finer.length * bursts.length];
    for (int i = 0; i < finer.length; i++) {
      double place =
          Math.clamp(
              Math.log(finer[i] / least) / Math.log(most / least) * (rates.length - 1),
              0,
              rates.length - 1.0);
      int below = Math.min((int) place, rates.length - 2);
      double within = place - below;
      for (int j = 0; j < bursts.length; j++) {
        moved[i * bursts.length + j] =
            (1 - within) * odds[below * bursts.length + j]
                + within * odds[(below + 1) * bursts.length + j];
      }
    }
    rates = finer;
    odds = moved;
  }

  /**
   * What an interval costs each hypothesis: how odd it is that these requests were let through and
   * those were refused.
   *
   * @param full whether the bucket was full at the start; else it was empty
   * @param refusedCost of the request that ended it with a refusal; 0 if none did
   */
  private double[] costs(
      SendTotals sends, double from, boolean full, double until, double unit, double refusedCost) {
    double[] costs = new double[odds.length];
    double[] times = sends.times(from, until);
    double[] amounts = sends.amounts(from, until);
    int first = Math.max(0, times.length - MOST_EVENTS);
    double start = first > 0 ? times[first] : from;
    double step = rates[1] / rates[0] - 1;
    // While some are refused and some are not, they all say much the same.
    int mixed = 0;
    for (int k = first; k < amounts.length; k++) {
      mixed = amounts[k] == 0 ? k + 1 : mixed;
    }
    mixedEvents = Math.max(0, mixed - first);
    for (int i = 0; i < odds.length; i++) {
      if (odds[i] < HOPELESS) {
        costs[i] = MOST_COST;
        continue;
      }
      double rate = rates[i / bursts.length];
      double burst = bursts[i % bursts.length];
      double sharp = BLUR * unit + 0.5 * JITTER_SECONDS * rate;
      // The truth lies between two rates of the grid, and the longer, the more that matters.
      double drift = GRID_DOUBT * step * rate;
      double level = full || first > 0 ? burst : 0.5 * Math.min(unit, burst);
      double at = start;
      double cost = 0;
      for (int k = first; k < times.length && cost < MOST_COST; k++) {
        level = Math.min(burst, level + rate * (times[k] - at));
        at = times[k];
        double blur = sharp + drift * (at - start);
        if (amounts[k] > 0) {
          double spare = (level - amounts[k]) / blur;
          if (spare < SURE) {
            cost += (k < mixed ? REPEATED : 1) * oddity(-spare);
          }
          // It was let through, so there was enough.
          level = Math.max(level - amounts[k], -blur);
        } else if (amounts[k] == 0) {
          cost += REPEATED * oddity((level - unit) / blur);
          level = Math.min(level, unit);
        } else {
          level = Math.min(burst, level - amounts[k]);
        }
      }
      if (refusedCost > 0) {
        // Not bounded by its size: the longer there has been enough, the odder is a refusal.
        level += rate * (until - at);
        cost += oddity((level - refusedCost) / (sharp + drift * (until - start)));
      }
      costs[i] = Math.min(cost, MOST_COST);
    }
    return costs;
  }

  /** The logarithm of the odds against an outcome that is so far on the wrong side. */
  private static double oddity(double wrong) {
    return -Math.log(STRAY + (1 - STRAY) / (1 + Math.exp(wrong)));
  }

  @Override
  public String toString() {
    return isEmpty()
        ? "nothing"
        : "%.3f-%.3f-%.3f burst %.0f"
            .formatted(quantile(0.1), quantile(0.5), quantile(0.9), burst(0.5));
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.At;
import dev.weir.limits.pace.PaceState.RefillState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Measures how fast a bucket refills, from nothing but what responses say remains.
 *
 * <p>What remains plus what was taken grows by exactly the refill, less what others take. So two
 * responses bound it, whatever the provider means by limit and reset, and the bounds narrow as they
 * lie further apart. Two things spoil a pair: a bucket that was full in between has lost refill,
 * and a limit that has changed has two rates. The first is left out, the second shows as bounds
 * that contradict each other.
 */
final class Refill {

  private static final int KEPT = 24;
  private static final double KEPT_SECONDS = 40;
  private static final double SHORTEST_SECONDS = 0.2;

  /** How far requests overtake each other on their way. */
  private static final double JITTER_SECONDS = 0.05;

  /** Known when the bounds are this close. */
  private static final double PRECISE = 1.25;

  private final Deque<At> points = new ArrayDeque<>();
  private double lower;
  private double upper = Double.POSITIVE_INFINITY;
  private double spacing = SHORTEST_SECONDS;

  Refill() {}

  Refill(RefillState state) {
    points.addAll(state.points());
    lower = state.lower();
    upper = state.upper();
    spacing = state.spacing();
  }

  RefillState state() {
    return new RefillState(List.copyOf(points), lower, upper, spacing);
  }

  boolean isPrecise() {
    return lower > 0 && upper < PRECISE * lower;
  }

  double lower() {
    return lower;
  }

  double upper() {
    return upper;
  }

  double middle() {
    return 0.5 * (lower + upper);
  }

  /** Half the width of what is possible. */
  double doubt() {
    return Double.isInfinite(upper) ? lower : 0.5 * (upper - lower);
  }

  /** What was known is history. */
  void forget() {
    points.clear();
    lower = 0;
    upper = Double.POSITIVE_INFINITY;
    spacing = SHORTEST_SECONDS;
  }

  /** The limit has changed by this factor, and what comes back with it. */
  void rescale(double factor) {
    points.clear();
    lower *= factor;
    upper *= factor;
    spacing = SHORTEST_SECONDS;
  }

  /** The bucket was full: what it refilled before is not known. The rate stays as it was. */
  void full() {
    points.clear();
    spacing = SHORTEST_SECONDS;
  }

  /** A send took less than was thought. */
  void giveBack(double sentAt, double amount) {
    if (points.isEmpty() || points.getLast().at() < sentAt) {
      return;
    }
    Deque<At> corrected = new ArrayDeque<>();
    for (At point : points) {
      corrected.add(point.at() >= sentAt ? new At(point.at(), point.value() - amount) : point);
    }
    points.clear();
    points.addAll(corrected);
  }

  /**
   * @param sum what remained at that moment, and what had been taken until then
   * @param noise by how many units a response may be off
   */
  void read(double at, double sum, double noise) {
    while (!points.isEmpty() && points.getFirst().at() < at - KEPT_SECONDS) {
      points.removeFirst();
    }
    while (!points.isEmpty() && !bound(at, sum, noise)) {
      // The limit has changed since the oldest.
      points.removeFirst();
    }
    if (points.isEmpty() || at - points.getLast().at() >= spacing) {
      points.add(new At(at, sum));
    }
    if (points.size() > KEPT) {
      thin();
    }
  }

  /** Bounds from all points; false if they contradict each other. */
  private boolean bound(double at, double sum, double noise) {
    double least = 0;
    double most = Double.POSITIVE_INFINITY;
    for (At point : points) {
      double seconds = at - point.at();
      if (seconds >= SHORTEST_SECONDS) {
        double grown = sum - point.value();
        // Jitter is in proportion to the rate, which is at least this.
        double doubt = noise + JITTER_SECONDS * Math.max(0, grown) / seconds;
        least = Math.max(least, (grown - doubt) / seconds);
        most = Math.min(most, Math.max(0, grown + doubt) / seconds);
      }
    }
    if (least > most) {
      return points.size() <= 1;
    }
    if (most < Double.POSITIVE_INFINITY) {
      lower = least;
      upper = most;
    }
    return true;
  }

  /** Every second one will do, and later ones lie further apart. */
  private void thin() {
    Deque<At> kept = new ArrayDeque<>();
    int index = 0;
    for (At point : points) {
      if (index++ % 2 == 0) {
        kept.add(point);
      }
    }
    points.clear();
    points.addAll(kept);
    spacing *= 2;
  }

  @Override
  public String toString() {
    return "%.3f-%.3f/s".formatted(lower, upper);
  }
}

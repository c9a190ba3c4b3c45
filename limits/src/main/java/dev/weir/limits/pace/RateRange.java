package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.RateBounds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A rate that many rough statements agree on: the intersection of their bounds.
 *
 * <p>Statements that miss the intersection mean that the rate has changed, or that they do not mean
 * what they seem to; the newest ones count then.
 */
final class RateRange {

  private static final int KEPT = 32;
  private static final double CONTRADICTION = 1.03;
  private static final double PRECISE = 1.25;

  private final Deque<RateBounds> bounds;
  private double lower;
  private double upper = Double.POSITIVE_INFINITY;

  RateRange() {
    this(List.of());
  }

  RateRange(List<RateBounds> state) {
    bounds = new ArrayDeque<>(state);
    intersect();
  }

  List<RateBounds> state() {
    return List.copyOf(bounds);
  }

  void forget() {
    bounds.clear();
    intersect();
  }

  /**
   * @return whether it contradicts what was known
   */
  boolean add(double least, double most) {
    bounds.add(new RateBounds(least, most));
    if (bounds.size() > KEPT) {
      bounds.removeFirst();
    }
    intersect();
    if (lower <= CONTRADICTION * upper) {
      return false;
    }
    while (bounds.size() > 2) {
      bounds.removeFirst();
    }
    intersect();
    return true;
  }

  boolean isEmpty() {
    return bounds.isEmpty();
  }

  boolean isPrecise() {
    return lower > 0 && upper < PRECISE * lower && lower <= CONTRADICTION * upper;
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

  private void intersect() {
    lower = 0;
    upper = Double.POSITIVE_INFINITY;
    for (RateBounds bound : bounds) {
      lower = Math.max(lower, bound.lower());
      upper = Math.min(upper, bound.upper());
    }
  }
}

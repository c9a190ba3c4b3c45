package dev.weir.selection;

import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What bets on the same datapoints have shown. The chance of error is split over all ordered pairs
 * of arms, those that were given up included: all of it is right at once, whenever one looks, but
 * for a chance of at most delta.
 */
final class Shown {

  private final Field field;
  private final Comparison bets;

  Shown(Field field, double delta) {
    this.field = field;
    this.bets = bets(delta, field.arms());
  }

  /** For one of all ordered pairs, since any arm may turn out leader and loser. */
  static Comparison.Bets bets(double delta, int arms) {
    return new Comparison.Bets(delta / Math.max(1, (double) arms * (arms - 1)));
  }

  /** Whether the mean of an arm is more than {@code least} above that of another. */
  boolean isAbove(double least, int arm, int other) {
    return bets.isAbove(least, field.differences(arm, other));
  }

  /**
   * Whether no arm that was tried is more than {@code points} better. Of those that were given up,
   * too: what is within the points of one that is within the points of the best may be outside.
   */
  boolean isWithin(double points, int arm) {
    return tried().allMatch(other -> isWithin(points, arm, other));
  }

  /**
   * Whether an arm is at most {@code points} below another: by what both have seen, or since the
   * other is behind the one that it was given up for, and the arm is within the points of that.
   */
  boolean isWithin(double points, int arm, int other) {
    if (arm == other || isAbove(-points, arm, other)) {
      return true;
    }
    Optional<Elimination> gone = field.elimination(other);
    if (gone.isEmpty() || gone.get().by().isEmpty()) {
      return false;
    }
    int by = gone.get().by().getAsInt();
    return isAbove(0, by, other) && isWithin(points, arm, by);
  }

  /** Whether any arm is more than {@code points} better. */
  boolean isBehind(double points, int arm) {
    return tried()
        .anyMatch(other -> other != arm && isAbove(points, /* arm= */ other, /* other= */ arm));
  }

  /** Arms that may be best; not those that never succeeded. */
  IntStream tried() {
    return IntStream.range(0, field.arms()).filter(field::hasSucceeded);
  }
}

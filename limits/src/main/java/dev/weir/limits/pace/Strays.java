package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.StraysState;

/**
 * Refusals behind which there is no limit: how often they come, and which they probably are.
 *
 * <p>A refusal below a rate that was measured, or one that no other follows, is contradicted by all
 * that is let through at the same rate. When such refusals are known, one more of them that comes
 * no more often than they do says nothing about the limit either.
 */
final class Strays {

  private static final int KNOWN = 2;

  /** They come at random: a gap of this share of the usual one is nothing special. */
  private static final double USUAL_GAP = 0.2;

  private static final double LEAST_UNITS = 20;

  /** While none is known, a refusal that follows sooner is rather about a limit. */
  private static final double LEAST_UNITS_OF_THE_FIRST = 60;

  private int count;
  private double unitsBefore;
  private double lastAt;

  Strays() {}

  Strays(StraysState state) {
    count = state.count();
    unitsBefore = state.unitsBefore();
    lastAt = state.lastAt();
  }

  StraysState state() {
    return new StraysState(count, unitsBefore, lastAt);
  }

  /** Units that were let through since the refusal before; this one begins the next count. */
  double unitsSince(double sentBefore) {
    double units = sentBefore - lastAt;
    lastAt = sentBefore;
    return units;
  }

  /** Whether there were some, so that one more is no surprise. */
  boolean areKnown() {
    return count >= KNOWN;
  }

  /** Whether a refusal after so many units without one may be one of them. */
  boolean mayInclude(double units) {
    return units >= (areKnown() ? LEAST_UNITS : LEAST_UNITS_OF_THE_FIRST);
  }

  /** A refusal has turned out to be one. */
  void found(double units) {
    count++;
    unitsBefore += Math.max(units, LEAST_UNITS);
  }

  /**
   * Whether a refusal after so many units without one is probably one of them.
   *
   * @param below whether it came below a rate that was measured
   */
  boolean include(double units, boolean below) {
    if (units < LEAST_UNITS) {
      return false;
    }
    return below || (areKnown() && units >= USUAL_GAP * unitsBefore / count);
  }
}

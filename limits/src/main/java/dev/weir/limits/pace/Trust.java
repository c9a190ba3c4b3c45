package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.TrustState;

/**
 * Whether a source may still vote on what leaves.
 *
 * <p>A source that said "there is room" and was refused is wrong. Wrong twice in a short time, it
 * loses its vote until it has been right for long enough; each time, that takes longer.
 */
final class Trust {

  private static final double SHORT_SECONDS = 10;
  private static final double FIRST_SUSPENSION_SECONDS = 10;
  private static final double LONGEST_SUSPENSION_SECONDS = 300;
  private static final double LONGER = 3;

  /** Of the latest predictions, smoothed: above this share of misses nothing is believed. */
  private static final double MISSES = 0.5;

  /** So many refusals that it would have prevented give it its vote back. */
  private static final int RIGHTS_NEEDED = 2;

  private static final double MISS_WEIGHT = 0.1;

  private double wrongAt = Double.NEGATIVE_INFINITY;
  private double suspendedUntil = Double.NEGATIVE_INFINITY;
  private double suspension = FIRST_SUSPENSION_SECONDS;
  private double misses;
  private int rights;

  Trust() {}

  Trust(TrustState state) {
    wrongAt = state.wrongAt();
    suspendedUntil = state.suspendedUntil();
    suspension = state.suspension();
    misses = state.misses();
    rights = state.rights();
  }

  TrustState state() {
    return new TrustState(wrongAt, suspendedUntil, suspension, misses, rights);
  }

  boolean votes(double now) {
    return now >= suspendedUntil && misses < MISSES;
  }

  /** Whether it was wrong lately in what can be checked. */
  boolean isDoubted() {
    return misses > 0.5 * MISSES;
  }

  /** A number that was predicted came, or did not. */
  void predicted(boolean met) {
    misses += MISS_WEIGHT * ((met ? 0 : 1) - misses);
  }

  /**
   * There was no room where it said there was, or room where it said there was none.
   *
   * @param sentAt when the request was sent that showed it: what was sent before the last time that
   *     it was wrong shows nothing new
   * @return whether this costs the vote
   */
  boolean wrong(double now, double sentAt) {
    if (sentAt < wrongAt) {
      return false;
    }
    boolean twice = now - wrongAt < SHORT_SECONDS;
    wrongAt = now;
    if (!twice || now < suspendedUntil) {
      return false;
    }
    rights = 0;
    suspendedUntil = now + suspension;
    suspension = Math.min(suspension * LONGER, LONGEST_SUSPENSION_SECONDS);
    return true;
  }

  /** It has no vote, and a request was refused for which it saw no room. */
  void right(double now) {
    rights++;
    if (rights >= RIGHTS_NEEDED) {
      rights = 0;
      suspendedUntil = now;
    }
  }

  @Override
  public String toString() {
    return suspendedUntil > Double.NEGATIVE_INFINITY || misses > 0
        ? " suspended until %.3f, misses %.2f".formatted(suspendedUntil, misses)
        : "";
  }
}

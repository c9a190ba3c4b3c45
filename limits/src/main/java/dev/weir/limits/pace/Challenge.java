package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.ChallengeState;

/**
 * Tests whether the refusals at a measured rate are about the rate at all.
 *
 * <p>A limit refuses what exceeds it. Refusals at a pace that never exceeded the measured rate are
 * suspicious: either the measurement is too high, or something refuses at random. A short stretch
 * at half as much again tells them apart. A limit refuses a third of it; what refuses at random
 * refuses no more than before.
 */
final class Challenge {

  static final double FACTOR = 1.5;

  private static final double UNITS = 24;

  /** So many refusals, and such a share of the test, are a limit: half of what one would cause. */
  private static final int REAL_REFUSALS = 3;

  private static final double REAL_SHARE = 0.15;

  /** A test of a real limit costs refusals, so it is worth it only after some suspicious ones. */
  private static final int FIRST_NEEDED = 4;

  private static final int MOST_NEEDED = 32;

  private int unexplained;

  /** How many of them are not known to be stray ones. */
  private int counted;

  private int needed = FIRST_NEEDED;

  /** When the test began; NaN if there is none. */
  private double startedAt = Double.NaN;

  private double units;
  private int refusals;
  private double sentAt;

  Challenge() {}

  Challenge(ChallengeState state) {
    unexplained = state.unexplained();
    counted = state.counted();
    needed = state.needed();
    startedAt = state.startedAt();
    units = state.units();
    refusals = state.refusals();
    sentAt = state.sentAt();
  }

  ChallengeState state() {
    return new ChallengeState(unexplained, counted, needed, startedAt, units, refusals, sentAt);
  }

  boolean isRunning() {
    return !Double.isNaN(startedAt);
  }

  /** A refusal at a pace that explains it, or among others: there is a limit. */
  void explained() {
    unexplained = 0;
    counted = 0;
  }

  /**
   * A refusal at a pace that does not explain it.
   *
   * @param excused whether it is known to be a stray one
   */
  void unexplained(boolean excused) {
    unexplained++;
    counted += excused ? 0 : 1;
  }

  boolean isDue() {
    return !isRunning() && unexplained >= needed;
  }

  void start(double now) {
    startedAt = now;
    units = 0;
    refusals = 0;
  }

  void sent(double now) {
    if (isRunning() && !isComplete()) {
      units++;
      sentAt = now;
    }
  }

  /**
   * A refusal while it runs.
   *
   * @return whether that shows that there is a limit
   */
  boolean refused(double sent) {
    if (sent < startedAt || sent > sentAt) {
      return false;
    }
    refusals++;
    return refusals >= REAL_REFUSALS && refusals > REAL_SHARE * units;
  }

  /**
   * Whether enough was let through.
   *
   * @param refusalSeconds after which a refusal would have arrived
   */
  boolean isPassed(double now, double refusalSeconds) {
    return isComplete() && now > sentAt + refusalSeconds;
  }

  /** Whether it has sent all that it needs: what is left is to wait for refusals. */
  boolean isComplete() {
    return units >= UNITS;
  }

  /**
   * Ends it: nothing was about the rate.
   *
   * @return how many refusals that excuses
   */
  int passed() {
    int excused = counted + refusals;
    explained();
    startedAt = Double.NaN;
    return excused;
  }

  /** Ends it: there is a limit. */
  void failed() {
    explained();
    needed = Math.min(2 * needed, MOST_NEEDED);
    startedAt = Double.NaN;
  }

  /** What it was about is settled otherwise. */
  void forget() {
    explained();
    startedAt = Double.NaN;
  }
}

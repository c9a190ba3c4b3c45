package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.GrowthState;

/**
 * A measured rate, and how the pace grows above it until the next refusal measures it again.
 *
 * <p>It begins a little below and grows as {@code 1 + 0.5 (t/T)^3}: flat at first, where the limit
 * probably still is, and steep when nothing was refused for long. T lengthens with each refusal
 * that confirms the measurement.
 *
 * <p>t is time in which requests waited for this rate and for nothing else. Only that proves
 * anything: a rate that nobody uses is not refused either. So other time takes growth back.
 */
final class Growth {

  private static final double FIRST_SECONDS = 20;
  private static final double LONGEST_SECONDS = 60;
  private static final double LONGER = 1.5;

  /** Where requests are many, a refusal is cheap: it comes once in some hundred of them. */
  private static final double FIRST_UNITS = 300;

  private static final double MOST_UNITS_BETWEEN = 2_500;
  private static final double SHORTEST_SECONDS = 4;
  private static final double TRUSTED_SECONDS = 100;
  private static final double MOST = 0.5;
  private static final double BELOW_MEASURED = 0.97;
  private static final double LONGEST_WEIGHT_SECONDS = 60;
  private static final double LONGEST_UNIT_SECONDS = 240;
  private static final double LEAST_UNITS = 4;
  private static final double MOST_UNITS = 200;

  /** From here on the measurement says nothing any more. */
  private static final double MOST_FACTOR = 4;

  /** After so long, and so many units, without anybody waiting, a bucket is no longer empty. */
  private static final double LULL_SECONDS = 5;

  private static final double LULL_UNITS = 8;

  private double grown;
  private double tickedAt = Double.NEGATIVE_INFINITY;
  private boolean bound;
  private double idle;
  private double seconds = FIRST_SECONDS;
  private double confirmed;
  private double confirmedSeconds;

  Growth() {}

  Growth(GrowthState state) {
    this.grown = state.grown();
    this.tickedAt = state.tickedAt();
    this.bound = state.bound();
    this.idle = state.idle();
    this.seconds = state.seconds();
    this.confirmed = state.confirmed();
    this.confirmedSeconds = state.confirmedSeconds();
  }

  GrowthState state() {
    return new GrowthState(grown, tickedAt, bound, idle, seconds, confirmed, confirmedSeconds);
  }

  /** The measured rate; 0 if there is none. */
  double confirmed() {
    return confirmed;
  }

  /** How long the measurement took: its weight. */
  double confirmedSeconds() {
    return confirmedSeconds;
  }

  /** Seconds for which it has grown. */
  double grown() {
    return grown;
  }

  double factor() {
    return Math.min(MOST_FACTOR, 1 + MOST * Math.pow(grown / seconds, 3));
  }

  /** Whether it has grown as far as it may from one measurement. */
  boolean isSpent() {
    return factor() >= MOST_FACTOR;
  }

  /** Grows anew from here. */
  void restart() {
    grown = 0;
  }

  /**
   * Lets time pass.
   *
   * @param nowBound whether a request waits for this rate, and would not wait without it
   * @param unitSeconds how long the rate takes for one unit
   * @return whether a lull has just ended
   */
  boolean tick(double now, boolean nowBound, double unitSeconds) {
    double elapsed = now - tickedAt;
    // Whoever waited may have left since, and nobody has said so.
    double waited = bound ? Math.min(elapsed, Math.max(1, 2 * unitSeconds)) : 0;
    double unused = elapsed - waited;
    grown = Math.max(0, grown + waited - unused);
    idle = (waited > 0 ? 0 : idle) + unused;
    tickedAt = now;
    bound = nowBound;
    boolean lull = nowBound && idle > Math.max(LULL_SECONDS, LULL_UNITS * unitSeconds);
    if (nowBound) {
      idle = 0;
    }
    return lull;
  }

  /** The measurement is one that held before: it is doubted late. */
  void trust() {
    seconds = Math.max(seconds, TRUSTED_SECONDS);
  }

  /** The measurement is a little too high, perhaps. */
  void trim(double share) {
    confirmed *= 1 - share;
  }

  /** A measurement is withdrawn. */
  void forget() {
    confirmed = 0;
  }

  /**
   * @return the rate to begin with
   */
  double measured(double rate, double measuredSeconds, double unit) {
    confirmed = rate;
    confirmedSeconds = measuredSeconds;
    grown = 0;
    double first = Math.clamp(FIRST_UNITS * unit / confirmed, SHORTEST_SECONDS, FIRST_SECONDS);
    seconds = Math.max(first, unitSeconds(unit));
    return BELOW_MEASURED * rate;
  }

  /** The measurement that makes {@link #measured} begin at this rate. */
  static double measurementFor(double rate) {
    return rate / BELOW_MEASURED;
  }

  boolean isConfirmedBy(double observed) {
    return confirmed > 0 && Math.abs(observed / confirmed - 1) < 0.15;
  }

  /**
   * Averages a measurement that agrees with the earlier ones.
   *
   * @return the rate to go on with
   */
  double confirm(double observed, double observedSeconds, double unit) {
    confirmed =
        (confirmed * confirmedSeconds + observed * observedSeconds)
            / (confirmedSeconds + observedSeconds);
    confirmedSeconds =
        Math.min(
            confirmedSeconds + observedSeconds,
            Math.max(LONGEST_WEIGHT_SECONDS, MOST_UNITS * unit / confirmed));
    slower(unit);
    return BELOW_MEASURED * confirmed;
  }

  private void slower(double unit) {
    double longest =
        Math.clamp(MOST_UNITS_BETWEEN * unit / confirmed, SHORTEST_SECONDS, LONGEST_SECONDS);
    seconds = Math.max(Math.min(seconds * LONGER, Math.max(seconds, longest)), unitSeconds(unit));
    grown = 0;
  }

  /**
   * A refusal must be worth its price where requests are few: the more units a measurement rests
   * on, the later it is doubted.
   */
  private double unitSeconds(double unit) {
    double units = Math.clamp(confirmed * confirmedSeconds / unit, LEAST_UNITS, MOST_UNITS / 8);
    return Math.min(8 * units * unit / confirmed, LONGEST_UNIT_SECONDS);
  }
}

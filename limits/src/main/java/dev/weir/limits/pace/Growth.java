package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.GrowthState;

/**
 * A measured rate, and how the pace grows above it until the next refusal measures it again.
 *
 * <p>It begins a little below and grows as {@code 1 + 0.5 (t/T)^3}: flat at first, where the limit
 * probably still is, and steep when nothing was refused for long. T lengthens with each refusal
 * that confirms the measurement.
 */
final class Growth {

  private static final double FIRST_SECONDS = 20;
  private static final double LONGEST_SECONDS = 60;
  private static final double LONGER = 1.5;
  private static final double MOST = 0.5;
  private static final double BELOW_MEASURED = 0.97;
  private static final double LONGEST_WEIGHT_SECONDS = 60;

  private double since;
  private double seconds = FIRST_SECONDS;
  private double confirmed;
  private double confirmedSeconds;

  Growth() {}

  Growth(GrowthState state) {
    this.since = state.since();
    this.seconds = state.seconds();
    this.confirmed = state.confirmed();
    this.confirmedSeconds = state.confirmedSeconds();
  }

  GrowthState state() {
    return new GrowthState(since, seconds, confirmed, confirmedSeconds);
  }

  /** The measured rate; 0 if there is none. */
  double confirmed() {
    return confirmed;
  }

  /** How long the measurement took: its weight. */
  double confirmedSeconds() {
    return confirmedSeconds;
  }

  double since() {
    return since;
  }

  double factor(double now) {
    return 1 + MOST * Math.pow((now - since) / seconds, 3);
  }

  /** Grows anew from here. */
  void restart(double now) {
    since = now;
  }

  /** A measurement is withdrawn. */
  void forget() {
    confirmed = 0;
  }

  /**
   * @return the rate to begin with
   */
  double measured(double now, double rate, double measuredSeconds) {
    confirmed = rate;
    confirmedSeconds = measuredSeconds;
    since = now;
    seconds = FIRST_SECONDS;
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
  double confirm(double now, double observed, double observedSeconds) {
    confirmed =
        (confirmed * confirmedSeconds + observed * observedSeconds)
            / (confirmedSeconds + observedSeconds);
    confirmedSeconds = Math.min(confirmedSeconds + observedSeconds, LONGEST_WEIGHT_SECONDS);
    slower(now);
    return BELOW_MEASURED * confirmed;
  }

  /**
   * A bucket without burst says yes or no, not how much: the last rate that was accepted counts.
   *
   * @return the rate to go on with
   */
  double confirmAccepted(double now, double accepted) {
    confirmed = accepted;
    slower(now);
    return 0.98 * accepted;
  }

  private void slower(double now) {
    seconds = Math.min(seconds * LONGER, LONGEST_SECONDS);
    since = now;
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.BracketState;

/**
 * Narrows a rate down between one that was accepted and one that was refused.
 *
 * <p>For buckets with hardly any burst: a smooth sender is refused the moment it is too fast, so
 * each spacing is one bit, and the bracket is halved.
 */
final class Bracket {

  private static final double NARROW = 1.06;
  private static final double MOST_UNITS_TO_PROVE = 60;

  private double low;
  private double high;
  private double firstLow;
  private int acceptedSpacings;
  private double unitsToProve;
  private double unitsAtThisSpacing;

  Bracket() {}

  Bracket(BracketState state) {
    this.low = state.low();
    this.high = state.high();
    this.firstLow = state.firstLow();
    this.acceptedSpacings = state.acceptedSpacings();
    this.unitsToProve = state.unitsToProve();
    this.unitsAtThisSpacing = state.unitsAtThisSpacing();
  }

  BracketState state() {
    return new BracketState(
        low, high, firstLow, acceptedSpacings, unitsToProve, unitsAtThisSpacing);
  }

  void start(double lowest, double highest, double firstEstimate, int accepted) {
    low = lowest;
    high = highest;
    firstLow = firstEstimate;
    acceptedSpacings = accepted;
  }

  void sent(double cost) {
    unitsAtThisSpacing += cost;
  }

  /** Whether enough was sent at this spacing for a refusal to have come. */
  boolean isProven() {
    return unitsAtThisSpacing >= unitsToProve;
  }

  void accepted(double rate) {
    low = rate;
    acceptedSpacings++;
  }

  void refused(double rate) {
    high = rate;
  }

  /** The limit is at least this, as far as it lies within the bracket. */
  void atLeast(double rate) {
    low = Math.max(low, Math.min(rate, 0.99 * high));
  }

  boolean isNarrow() {
    return high < NARROW * low;
  }

  boolean wasAnythingAccepted() {
    return acceptedSpacings > 0;
  }

  double low() {
    return low;
  }

  /** Whether a rate is hardly above the first estimate: then the bucket has a burst after all. */
  boolean isFirstEstimate(double rate) {
    return rate < 1.03 * firstLow;
  }

  /**
   * @return the rate in the middle, to be tried next
   */
  double halve(double unit) {
    double middle = Math.sqrt(low * high);
    unitsToProve = unit * Math.min(MOST_UNITS_TO_PROVE, 2 / (1 - low / middle));
    unitsAtThisSpacing = 0;
    return middle;
  }
}

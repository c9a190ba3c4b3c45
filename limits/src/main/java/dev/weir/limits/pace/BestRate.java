package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.BestState;

/**
 * The best rate that was ever well confirmed, and when to try it again after the limit has dropped.
 *
 * <p>Growth alone finds a limit that returns late; a short test at the old rate, now and then,
 * finds it at once and costs a refusal if it has not returned.
 */
final class BestRate {

  private static final double WELL_CONFIRMED_SECONDS = 5;
  private static final double DROPPED_BELOW = 0.75;
  private static final double TEST_SECONDS = 1.5;
  private static final double FIRST_GAP_SECONDS = 12;
  private static final double LONGEST_GAP_SECONDS = 30;
  private static final double FIRST_HINT_GAP_SECONDS = 3;
  private static final double LONGEST_HINT_GAP_SECONDS = 300;

  private double best;

  /** What the next test tries: the best rate, or a stated one that is higher. */
  private double tried;

  private double testAt = Double.NaN;
  private double gap = FIRST_GAP_SECONDS;

  /** A hint that the limit is back brings a test forward, but not before this. */
  private double hintFrom = Double.NEGATIVE_INFINITY;

  private double hintGap = FIRST_HINT_GAP_SECONDS;

  BestRate() {}

  BestRate(BestState state) {
    this.best = state.best();
    this.tried = state.tried();
    this.testAt = state.testAt();
    this.gap = state.gap();
    this.hintFrom = state.hintFrom();
    this.hintGap = state.hintGap();
  }

  BestState state() {
    return new BestState(best, tried, testAt, gap, hintFrom, hintGap);
  }

  double rate() {
    return best;
  }

  double tried() {
    return tried;
  }

  boolean isTestDue(double now) {
    return now >= testAt;
  }

  boolean isTestOver(double tested) {
    return tested >= TEST_SECONDS;
  }

  void forget() {
    best = 0;
    testAt = Double.NaN;
    gap = FIRST_GAP_SECONDS;
  }

  void forgetTest() {
    testAt = Double.NaN;
    hintGap = FIRST_HINT_GAP_SECONDS;
  }

  /**
   * Something other than refusals suggests that the limit is back, or higher than the present rate.
   *
   * @param stated what a believed source allows; 0 if there is none
   */
  void hint(double now, double rate, double stated) {
    boolean dropped = now < testAt;
    boolean low = rate < DROPPED_BELOW * stated;
    if (now >= hintFrom && (dropped || low)) {
      tried = dropped ? Math.max(best, stated) : stated;
      testAt = now;
      hintFrom = now + hintGap;
      hintGap = Math.min(2 * hintGap, LONGEST_HINT_GAP_SECONDS);
    }
  }

  /** The test was refused: the next one comes later. */
  void failed(double now) {
    if (tried > best) {
      testAt = Double.NaN;
      return;
    }
    testAt = now + gap;
    gap = Math.min(gap * 1.2, LONGEST_GAP_SECONDS);
  }

  /** A rate was confirmed: it is the best one, or a drop, or neither. */
  void confirmed(double now, double rate, double seconds) {
    if (seconds >= WELL_CONFIRMED_SECONDS && rate > best) {
      best = rate;
      testAt = Double.NaN;
      gap = FIRST_GAP_SECONDS;
    } else if (best > 0 && rate < DROPPED_BELOW * best) {
      if (Double.isNaN(testAt)) {
        tried = best;
        testAt = now + FIRST_GAP_SECONDS;
        hintFrom = now + FIRST_HINT_GAP_SECONDS;
        gap = FIRST_GAP_SECONDS;
      }
    } else {
      testAt = Double.NaN;
    }
  }
}

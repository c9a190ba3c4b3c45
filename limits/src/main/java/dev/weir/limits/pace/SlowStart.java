package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.SlowStartState;

/**
 * Opens the window while nothing at all is known: neither a header nor a refusal has come.
 *
 * <p>A hosted provider doubles from 64 every other round trip, at most every two seconds; a server
 * of one's own, which queues what it cannot do, from 32 each time a whole window was answered.
 */
final class SlowStart {

  private static final int HOSTED_START = 64;
  private static final int SELF_HOSTED_START = 32;
  private static final double HOSTED_INTERVAL_SECONDS = 2;
  private static final double SHORTEST_INTERVAL_SECONDS = 0.1;
  private static final int MOST = 1 << 20;

  private final boolean selfHosted;
  private int window;
  private int answered;
  private boolean bound;
  private double doubledAt;
  private double interval = HOSTED_INTERVAL_SECONDS;

  SlowStart(boolean selfHosted, double now) {
    this.selfHosted = selfHosted;
    this.window = selfHosted ? SELF_HOSTED_START : HOSTED_START;
    this.doubledAt = now;
  }

  SlowStart(SlowStartState state) {
    this.selfHosted = state.selfHosted();
    this.window = state.window();
    this.answered = state.answered();
    this.bound = state.bound();
    this.doubledAt = state.doubledAt();
    this.interval = state.interval();
  }

  SlowStartState state() {
    return new SlowStartState(selfHosted, window, answered, bound, doubledAt, interval);
  }

  int window() {
    return window;
  }

  void bound(double now) {
    bound = true;
    if (!selfHosted && now - doubledAt >= interval) {
      window = Math.min(window * 2, MOST);
      doubledAt = now;
    }
  }

  /**
   * @param roundTrip how long an answer takes at present
   */
  void answered(double roundTrip) {
    answered++;
    interval = Math.clamp(2 * roundTrip, SHORTEST_INTERVAL_SECONDS, HOSTED_INTERVAL_SECONDS);
    if (bound && answered >= window) {
      window = Math.min(window * 2, MOST);
      answered = 0;
      bound = false;
    }
  }
}

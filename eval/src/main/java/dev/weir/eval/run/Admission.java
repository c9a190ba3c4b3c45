package dev.weir.eval.run;

import dev.weir.limits.Lane;

/**
 * Decides how many samples of a run are open.
 *
 * <p>With a fixed or adaptive window, that is the window and a few more, to score and to prepare
 * while calls are made. In mode {@code pace} it does not depend on the window alone: a sample that
 * runs tools leaves its place in the window to others. So samples are opened while calls have
 * headroom, and no more than the window needs:
 *
 * <pre>
 *   one, if no call of the run waits and no sample is about to make its first
 *   as many as the window has free places, calls that wait and are about to come subtracted
 *   never more than 1.25 × window ÷ (share of its time that an open sample spends in calls) + 1
 * </pre>
 *
 * <p>The share is measured over the last minute, waiting not counted. Without the last line, every
 * chance dip of the calls in flight would open a sample more, and none is ever closed early.
 *
 * <p>Not thread-safe: guarded by the run.
 */
final class Admission {

  private static final int SPARE = 5;

  /** What is open beyond need, because calls and tools take turns by chance. */
  private static final double SLACK = 1.25;

  private static final double MEMORY_NANOS = 60e9;

  /** In the beginning, nothing is known of how samples spend their time. */
  private static final double LEAST_AREA_NANOS = 1e9;

  private final int most;
  private final boolean followsWindow;

  private int open;
  private int beginning;
  private int asking;
  private int away;
  private long measuredAt;
  private double awayArea;
  private double activeArea;

  /**
   * @param most the most that may be open
   * @param followsWindow whether the window alone decides
   */
  Admission(int most, boolean followsWindow, long now) {
    this.most = most;
    this.followsWindow = followsWindow;
    this.measuredAt = now;
  }

  void opened(long now) {
    measure(now);
    open++;
    beginning++;
  }

  void closed(long now, boolean hasAsked) {
    measure(now);
    open--;
    beginning -= hasAsked ? 0 : 1;
  }

  void asks(long now, boolean isFirst) {
    measure(now);
    asking++;
    beginning -= isFirst ? 1 : 0;
  }

  void asked(long now) {
    measure(now);
    asking--;
  }

  void left(long now) {
    measure(now);
    away++;
  }

  void back(long now) {
    measure(now);
    away--;
  }

  int open() {
    return open;
  }

  /** Whether another sample may be opened now. */
  boolean hasRoom(Lane.Status lane) {
    if (open >= most) {
      return false;
    }
    if (followsWindow) {
      return open < (long) lane.window() + SPARE;
    }
    int waiting = asking - away;
    boolean isIdle = waiting + beginning <= 0;
    int free = lane.window() - lane.inFlight() - lane.waiting() - lane.backingOff() - beginning;
    return (isIdle || free > 0) && open < needed(lane.window());
  }

  private double needed(int window) {
    double share =
        (awayArea + LEAST_AREA_NANOS) / (Math.max(activeArea, awayArea) + LEAST_AREA_NANOS);
    return SLACK * window / share + 1;
  }

  private void measure(long now) {
    double passed = now - measuredAt;
    measuredAt = now;
    if (passed > 0) {
      double kept = Math.exp(-passed / MEMORY_NANOS);
      awayArea = awayArea * kept + away * passed;
      activeArea = activeArea * kept + (open - (asking - away)) * passed;
    }
  }
}

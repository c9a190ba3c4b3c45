package dev.weir.eval.run;

import dev.weir.limits.Lane;

/**
 * Decides how many samples of a run are open.
 *
 * <p>With a fixed or adaptive window, that is the window and a few more, to score and to prepare
 * while calls are made. In mode {@code pace} it does not depend on the window: another sample is
 * opened when no call of the run waits for its turn. A sample that runs tools leaves its place to
 * others in this way, so agents fill what the provider allows, and no more are open than that
 * takes: as soon as calls wait, there are enough.
 *
 * <p>Where samples take a while to make their first call, because sandboxes are set up, or make
 * none, as many are prepared at a time as will be needed by then: the rate at which calls leave ×
 * how long preparation takes. A call that waits for its next attempt waits for no turn.
 *
 * <p>Not thread-safe: guarded by the run.
 */
final class Admission {

  private static final int SPARE = 5;

  /** A bound for memory: results wait for the log, one for each so many samples. */
  private static final int SHARE_WRITTEN = 4;

  /** Preparation that takes no time needs no lead. */
  private static final long QUICK_NANOS = 10_000_000;

  /** Without a rate yet, so many samples are prepared at a time, if that takes a while. */
  private static final int LEAST_LEAD = 16;

  /** How far back the rate of calls is looked at. */
  private static final double MEMORY_NANOS = 10e9;

  private static final double NEWEST = 0.2;

  private final int most;
  private boolean followsWindow;

  private int open;
  // Samples that are finished, and left their places while the log takes them.
  private int written;
  // Samples that have not made their first call.
  private int beginning;
  // Calls that wait for their turn, or are with the provider; of these, the latter.
  private int asking;
  private int away;
  // Until a sample has shown otherwise, it may take long.
  private double preparationNanos = QUICK_NANOS;
  private double recentCalls;
  private long countedAt;

  /**
   * @param most the most that may be open
   * @param followsWindow whether the window alone decides
   */
  Admission(int most, boolean followsWindow, long now) {
    this.most = most;
    this.followsWindow = followsWindow;
    this.countedAt = now;
  }

  /** How calls are regulated has changed. */
  void followWindow(boolean alone) {
    followsWindow = alone;
  }

  void opened() {
    open++;
    beginning++;
  }

  void closed() {
    open--;
  }

  /**
   * A sample is finished and waits for the disk, as does nobody who has its place meanwhile; false
   * if so many wait that the disk is what the run waits for.
   */
  boolean leaves() {
    if (written >= open / SHARE_WRITTEN) {
      return false;
    }
    written++;
    open--;
    return true;
  }

  /** It is in the log. */
  void written() {
    written--;
  }

  /** A sample makes its first call, or ends without one, so long after it was opened. */
  void begins(long preparedNanos) {
    beginning--;
    preparationNanos += NEWEST * (preparedNanos - preparationNanos);
  }

  void asks() {
    asking++;
  }

  void asked() {
    asking--;
  }

  void left(long now) {
    away++;
    recentCalls = recentCalls * Math.exp((countedAt - now) / MEMORY_NANOS) + 1;
    countedAt = now;
  }

  void back() {
    away--;
  }

  int open() {
    return open + written;
  }

  /** Whether another sample may be opened now. */
  boolean hasRoom(Lane.Status lane) {
    if (open >= most) {
      return false;
    }
    return followsWindow
        ? open < (long) lane.window() + SPARE
        : Math.min(asking - away, lane.waiting()) <= 0 && beginning < lead();
  }

  /** How many samples are prepared at a time. */
  private double lead() {
    return preparationNanos < QUICK_NANOS
        ? 1
        : Math.max(LEAST_LEAD, recentCalls / MEMORY_NANOS * preparationNanos);
  }
}

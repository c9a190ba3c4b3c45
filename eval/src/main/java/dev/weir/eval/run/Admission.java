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
 * none, it would be too late to open the next when no call waits. So many are prepared ahead as
 * were enough before: with each that begins while no call is held back, more; with each that finds
 * many waiting, fewer. Samples that never call fill what may be open after a few rounds. While
 * sandboxes are waited for, more samples would only wait, too.
 *
 * <p>Not thread-safe: guarded by the run.
 */
final class Admission {

  private static final int SPARE = 5;

  /** A bound for memory: results wait for the log, one for each so many samples. */
  private static final int SHARE_WRITTEN = 4;

  /** Preparation that takes no time needs no lead. */
  private static final long QUICK_NANOS = 10_000_000;

  /** Until one has begun, so many samples are prepared at a time, if that takes a while. */
  private static final int FIRST_LEAD = 16;

  private static final int LEAST_LEAD = 4;

  /** By so much each sample that begins raises the lead: not quite to twice in a round. */
  private static final double GROWTH = 0.75;

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
  // So many samples may be prepared, or have calls that wait.
  private double lead = FIRST_LEAD;

  /**
   * @param most the most that may be open
   * @param followsWindow whether the window alone decides
   */
  Admission(int most, boolean followsWindow) {
    this.most = most;
    this.followsWindow = followsWindow;
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

  /** A sample that was put aside continues. */
  void reopened() {
    open++;
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

  /**
   * A sample makes its first call, or ends without one.
   *
   * @param preparedNanos so long after it was opened
   * @param isSandboxAwaited whether samples wait for a sandbox, or to run something in one
   */
  void begins(long preparedNanos, Lane.Status lane, boolean isSandboxAwaited) {
    beginning--;
    preparationNanos += NEWEST * (preparedNanos - preparationNanos);
    int held = held(lane);
    if (held > lead / 2) {
      lead = Math.max(LEAST_LEAD, lead - 1);
    } else if (held == 0 && !isSandboxAwaited) {
      lead = Math.min(most, lead + GROWTH);
    }
  }

  void asks() {
    asking++;
  }

  void asked() {
    asking--;
  }

  void left() {
    away++;
  }

  void back() {
    away--;
  }

  /** Calls that are with the provider. */
  int inFlight() {
    return away;
  }

  int open() {
    return open + written;
  }

  /** Whether as many samples are open as may be. */
  boolean isFull() {
    return open >= most;
  }

  /** Whether another sample may be opened now. */
  boolean hasRoom(Lane.Status lane) {
    if (isFull()) {
      return false;
    }
    if (followsWindow) {
      return open < (long) lane.window() + SPARE;
    }
    return preparationNanos < QUICK_NANOS
        ? Math.min(asking - away, lane.waiting()) <= 0 && beginning < 1
        : held(lane) + beginning < lead;
  }

  /** Calls of this run that wait for their turn, or were refused and for that wait. */
  private int held(Lane.Status lane) {
    return Math.max(0, Math.min(asking - away, lane.waiting() + lane.backingOff()));
  }
}

package dev.weir.cli.carriers;

import java.time.Duration;

/**
 * How many carriers the virtual threads of a process need, from looks at their queue and at the
 * processor time. Fewer are used when they have had little to do for a second; all of them while
 * there is a burst, and again for good when work has waited at every look for a while. More than
 * there are cores, when nothing new has run for a second: then every carrier is kept by a task that
 * computes and never waits, and others should run beside it. Not thread-safe.
 */
final class CarrierCount {

  /** The time between looks. */
  static final Duration LOOK = Duration.ofMillis(5);

  /** Looks at a queue: one that is never empty is not a burst. */
  private static final int WINDOW = 50;

  /** Windows with little to do before fewer are tried. */
  private static final int CALM_WINDOWS = 4;

  /** A queue so long that waking another core for it pays. */
  private static final long BURST = 64;

  /** The part of a carrier's time that may be in use. */
  private static final double FULL = 0.9;

  /** Nothing that is only slow keeps new work waiting for so long. */
  private static final long STUCK_NANOS = Duration.ofSeconds(1).toNanos();

  /** So many tasks that never wait are made up for. */
  private static final int MOST_STUCK = 16;

  // In windows.
  private static final int LEAST_CAUTION = 40;
  private static final int MOST_CAUTION = 240;

  private final int most;
  private int count;
  private boolean isBurst;
  private int looks;
  private long leastQueued = Long.MAX_VALUE;
  private long windowNanos;
  private long windowCpuNanos;
  private int calmWindows;
  private int needed = 1;
  private long stuckNanos = STUCK_NANOS;

  // Windows since fewer were tried, windows until that may be tried again, and what the next
  // mistake costs.
  private int sinceFewer;
  private int untilFewer;
  private int caution = LEAST_CAUTION;

  CarrierCount(int most, long nanos, long cpuNanos) {
    this.most = most;
    this.count = most;
    this.windowNanos = nanos;
    this.windowCpuNanos = cpuNanos;
  }

  /**
   * How many there should be after one more look.
   *
   * @param cpuNanos processor time of the process so far
   * @param queued virtual threads that could run and do not
   * @param waitedNanos for how long the newest of them has waited for its first turn
   */
  int look(long nanos, long cpuNanos, long queued, long waitedNanos) {
    if (waitedNanos >= stuckNanos) {
      addBesideStuck();
    } else if (waitedNanos == 0) {
      stuckNanos = STUCK_NANOS;
    }
    leastQueued = Math.min(leastQueued, queued);
    isBurst = queued >= BURST || (isBurst && queued > 0);
    looks++;
    if (looks == WINDOW) {
      endWindow((double) (cpuNanos - windowCpuNanos) / Math.max(1, nanos - windowNanos));
      windowNanos = nanos;
      windowCpuNanos = cpuNanos;
      looks = 0;
      leastQueued = Long.MAX_VALUE;
    }
    return isBurst ? Math.max(most, count) : count;
  }

  /**
   * @param load how many cores were busy
   */
  private void endWindow(double load) {
    sinceFewer++;
    untilFewer = Math.max(0, untilFewer - 1);
    if (leastQueued > 0) {
      useAll();
      return;
    }
    needed = Math.max(needed, (int) Math.ceil(load / FULL));
    calmWindows++;
    if (calmWindows >= CALM_WINDOWS) {
      if (needed < count && untilFewer == 0) {
        count = needed;
        sinceFewer = 0;
      }
      forgetCalm();
    }
  }

  private void useAll() {
    forgetCalm();
    if (count < most) {
      raise(most);
    }
  }

  private void addBesideStuck() {
    // The same one may still wait when these are stuck, too.
    stuckNanos += STUCK_NANOS;
    forgetCalm();
    raise(Math.min(most + MOST_STUCK, Math.max(count, most) + most));
  }

  private void raise(int to) {
    count = to;
    // Fewer were too few: that is not tried again soon, unless they sufficed for long.
    caution = sinceFewer < caution ? Math.min(MOST_CAUTION, 2 * caution) : LEAST_CAUTION;
    untilFewer = caution;
  }

  private void forgetCalm() {
    calmWindows = 0;
    needed = 1;
  }
}

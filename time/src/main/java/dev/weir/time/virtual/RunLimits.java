package dev.weir.time.virtual;

import java.time.Duration;

/**
 * When a run on virtual time stops being patient; generous, since each only ends what is broken.
 *
 * @param watchInterval how often, in real time, the driver looks at the running task
 * @param stuckChecks how often in a row the running task must be seen blocked or parked at one
 *     place: fewer may be a foreign thread that is merely slow
 * @param abandonedWaits how often a task may catch the end of its failed run and wait again
 * @param handOversAfterMain how often the baton may pass between main's end and the run's end
 */
record RunLimits(
    Duration watchInterval, int stuckChecks, int abandonedWaits, long handOversAfterMain) {

  /** Stuck means 5 s of real time. */
  static final RunLimits DEFAULT = new RunLimits(Duration.ofMillis(500), 10, 1_000, 1_000_000);

  Duration patience() {
    return watchInterval.multipliedBy(stuckChecks);
  }
}

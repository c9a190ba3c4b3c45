package dev.weir.time.virtual;

import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

/** A run on virtual time that cannot go on, or cannot end; the message names who waits for what. */
public final class DeadlockException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Enough to see the knot without flooding a terminal. */
  private static final int TASKS_NAMED = 20;

  private DeadlockException(String message) {
    super(message);
  }

  static DeadlockException allWait(long nanos, Collection<VirtualTask<?>> alive) {
    return at(nanos, "all tasks wait and nothing is scheduled" + waits(alive));
  }

  static DeadlockException stuck(
      long nanos,
      StuckWatch.Sighting sighting,
      Duration patience,
      Collection<VirtualTask<?>> alive) {
    return at(
        nanos,
        sighting
            + " and has not moved for "
            + patience
            + " of real time; a waiting task or a foreign thread holds what it wants. Never wait"
            + " through the time seam while holding a monitor or a lock"
            + waits(alive.stream().filter(task -> task != sighting.task()).toList()));
  }

  static DeadlockException endless(long nanos, long handOvers, Collection<VirtualTask<?>> alive) {
    return at(
        nanos,
        "main has ended, but %,d hand-overs later tasks that it left behind still go on; a task"
                .formatted(handOvers)
            + " that is cancelled must end"
            + waits(alive));
  }

  /** A task that cannot be unwound, because it catches whatever a wait throws. */
  static DeadlockException deaf(long nanos, VirtualTask<?> task, int waits) {
    return at(
        nanos,
        "gave up on %s: its run has failed, and it caught that %,d times and waited again"
                .formatted(task, waits)
            + " for "
            + task.waitingFor
            + "; never catch Throwable or Error around a wait in a loop");
  }

  private static DeadlockException at(long nanos, String what) {
    return new DeadlockException(
        "deadlock at " + Duration.ofNanos(nanos) + " of virtual time: " + what);
  }

  private static String waits(Collection<VirtualTask<?>> tasks) {
    String named =
        tasks.stream()
            .limit(TASKS_NAMED)
            .map(task -> "\n  " + task + " waits for " + task.waitingFor)
            .collect(Collectors.joining());
    int more = tasks.size() - TASKS_NAMED;
    return ":" + named + (more > 0 ? "\n  and " + more + " more" : "");
  }
}

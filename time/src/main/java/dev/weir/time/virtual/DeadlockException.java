package dev.weir.time.virtual;

import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

/** A run on virtual time that cannot go on; the message names who waits for what. */
public final class DeadlockException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Enough to see the knot without flooding a terminal. */
  private static final int TASKS_NAMED = 20;

  private DeadlockException(String message) {
    super(message);
  }

  static DeadlockException allWait(long nanos, Collection<VirtualTask<?>> alive) {
    return new DeadlockException(
        "deadlock at "
            + Duration.ofNanos(nanos)
            + " of virtual time: all tasks wait and nothing is scheduled"
            + waits(alive));
  }

  static DeadlockException heldMonitor(
      long nanos, VirtualTask<?> blocked, Collection<VirtualTask<?>> alive) {
    StackTraceElement[] stack = blocked.stackTrace();
    return new DeadlockException(
        "deadlock at "
            + Duration.ofNanos(nanos)
            + " of virtual time: "
            + blocked
            + " is blocked at a monitor"
            + (stack.length > 0 ? " in " + stack[0] : "")
            + " that a waiting task holds; never wait through the time seam in a synchronized block"
            + waits(alive.stream().filter(task -> task != blocked).toList()));
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

package dev.weir.time.virtual;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Judges, look by look, whether the running task is stuck: blocked at a monitor, or parked in
 * something that is not virtual time.
 *
 * <p>One look proves nothing, since another thread may hold the lock for a moment. Many looks at
 * the same place without a hand-over in between do. Belongs to the driver.
 */
final class StuckWatch {

  private final int patience;
  private @Nullable Sighting last;
  private int times;

  /**
   * @param patience how many equal sightings in a row are too many
   */
  StuckWatch(int patience) {
    this.patience = patience;
  }

  /**
   * @param sighting where the running task stands still; null if it does not
   */
  boolean isStuck(@Nullable Sighting sighting) {
    times = sighting != null && sighting.equals(last) ? times + 1 : 1;
    last = sighting;
    return sighting != null && times >= patience;
  }

  /** A task that has the baton and does not run. */
  record Sighting(
      VirtualTask<?> task, long handOvers, Thread.State state, List<StackTraceElement> stack) {

    /** What the task does and where, naming the first frame that is not the JDK's. */
    @Override
    public String toString() {
      StackTraceElement frame =
          stack.stream()
              .filter(candidate -> !isOfTheJdk(candidate.getClassName()))
              .findFirst()
              .orElse(stack.getFirst());
      return task
          + (state == Thread.State.BLOCKED ? " is blocked at a monitor in " : " is parked in ")
          + frame;
    }

    private static boolean isOfTheJdk(String className) {
      return className.startsWith("java.") || className.startsWith("jdk.");
    }
  }
}

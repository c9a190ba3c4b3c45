package dev.weir.time.virtual;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong in one run, and which of it is thrown.
 *
 * <p>What main threw comes first, unless the run was stopped before: then main was unwound and what
 * it threw is only a consequence. Next comes why the run was stopped, and last the first failure
 * that nobody observed. The first of these is thrown, with the others as suppressed.
 *
 * <p>Belongs to the holder of the baton, and after the run to the driver.
 */
final class RunFailures {

  private boolean mainEnded;
  private @Nullable Throwable ofMain;
  private @Nullable Throwable stopped;
  private final Map<VirtualTask<?>, Throwable> unobserved = new LinkedHashMap<>();

  /** The run cannot go on; tasks that end from now on only unwind. */
  void stop(Throwable reason) {
    stopped = reason;
  }

  boolean isStopped() {
    return stopped != null;
  }

  /** Something more that went wrong while a stopped run was unwound. */
  void addToStop(Throwable further) {
    if (stopped != null) {
      stopped.addSuppressed(further);
    }
  }

  void mainEnded(@Nullable Throwable failure) {
    mainEnded = true;
    ofMain = failure;
  }

  boolean hasMainEnded() {
    return mainEnded;
  }

  /** A task has failed, and it is not known yet whether anybody will join it. */
  void add(VirtualTask<?> task, Throwable failure) {
    unobserved.put(task, failure);
  }

  void observed(VirtualTask<?> task) {
    unobserved.remove(task);
  }

  void throwFirst() throws Exception {
    List<Throwable> all = new ArrayList<>();
    if (ofMain != null) {
      all.add(ofMain);
    }
    if (stopped != null) {
      all.add(stopped);
    }
    unobserved.values().stream().limit(1).forEach(all::add);
    if (all.isEmpty()) {
      return;
    }
    Throwable first = all.getFirst();
    // A failure may have reached main by another way than a join: nothing suppresses itself.
    all.stream().filter(failure -> !failure.equals(first)).forEach(first::addSuppressed);
    switch (first) {
      case Error error -> throw error;
      case Exception exception -> throw exception;
      default -> throw new IllegalStateException("cannot go on: " + first, first);
    }
  }
}

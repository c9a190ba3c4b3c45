package dev.weir.time;

import org.jspecify.annotations.Nullable;

/** The body of a task that has no result. It honours interruption. */
@FunctionalInterface
public interface Action {

  void run() throws Exception;

  /** The same as work whose result is null. */
  default Work<@Nullable Void> asWork() {
    return () -> {
      run();
      return null;
    };
  }
}

package dev.weir.time;

import org.jspecify.annotations.Nullable;

/** The body of a task. It honours interruption: that is how a task is cancelled. */
@FunctionalInterface
public interface Work<T extends @Nullable Object> {

  T run() throws Exception;
}

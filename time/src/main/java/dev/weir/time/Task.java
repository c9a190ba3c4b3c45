package dev.weir.time;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Work that was started: it can be waited for and cancelled. Thread-safe. */
public interface Task<T extends @Nullable Object> {

  String name();

  /**
   * Waits for the end of the task and returns its result.
   *
   * @throws InterruptedException if the waiting task is cancelled; the joined task goes on
   * @throws CancellationException if the joined task ended by being cancelled
   * @throws TaskFailedException if the work threw, with that as its cause
   */
  T join() throws InterruptedException;

  /** Waits for the end of the task, at most until the deadline; says whether it has ended. */
  boolean join(long deadlineNanos) throws InterruptedException;

  boolean isDone();

  /**
   * Asks the task to end: its current wait, or the next one, throws {@link InterruptedException}.
   * Does not wait for the end. Without effect on a task that has ended.
   */
  void cancel();
}

package dev.weir.time;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Work that was started: it can be waited for and cancelled. Thread-safe.
 *
 * <p>What the work threw is observed when a {@link #join()} has thrown it; {@link #join(long)} and
 * {@link #isDone()} tell only that the task has ended. A failure that nobody observed is not
 * dropped silently: on virtual time the run fails with it; on the system's clock an {@link Error}
 * always goes to the thread's uncaught exception handler as well, while an exception is kept for
 * {@link #join()} alone. To be cancelled is not a failure.
 */
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
   * Does not wait for the end. Without effect on a task that has ended. Any thread may call it, on
   * virtual time too.
   */
  void cancel();
}

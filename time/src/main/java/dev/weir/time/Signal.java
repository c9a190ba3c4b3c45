package dev.weir.time;

/**
 * The one primitive for waiting: a sticky wake-up for a single waiter.
 *
 * <pre>
 *            send                     await takes it
 *   NOT SENT ────> SENT (send again: no effect) ────> NOT SENT
 * </pre>
 *
 * <p>A signal that was sent before its waiter came is not lost, so the usual pattern needs no
 * condition variable: put the signal where the sender finds it while holding the lock, release the
 * lock, then await. Latches, queues, permits and single flights are built that way; {@link
 * Completion} is one.
 *
 * <p>Thread-safe, but only one task may await at a time.
 */
public interface Signal {

  /**
   * Waits until the signal is sent, and takes it; or until the deadline.
   *
   * <p>An interrupt wins over a signal: the wait then throws, and the signal stays for whoever
   * looks next. A waiter that was handed something with the signal must therefore give it back when
   * interrupted.
   *
   * @return true if the signal was taken, false if the deadline came first
   * @throws InterruptedException if the task is cancelled before or during the wait
   * @throws IllegalStateException if another task is waiting for this signal
   */
  boolean await(long deadlineNanos) throws InterruptedException;

  /** Waits until the signal is sent, however long that takes. */
  default void await() throws InterruptedException {
    while (!await(Time.NEVER)) {
      // The end of time is not a reason to stop waiting.
    }
  }

  /** Wakes the waiter, or the next one to come. Never blocks. */
  void send();
}

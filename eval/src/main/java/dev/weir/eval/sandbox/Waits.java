package dev.weir.eval.sandbox;

/**
 * Is told of time that was spent waiting for others, so that it is not counted as work.
 *
 * <p>Called by the task that waited, outside of locks, also when the wait was cancelled. Must not
 * throw.
 */
@FunctionalInterface
public interface Waits {

  /** Nobody wants to know. */
  Waits IGNORED = (_, _) -> {};

  /**
   * @param fromNanos when the wait began, by {@link dev.weir.time.Time#nanos()}
   * @param untilNanos when it ended; not before it began
   */
  void waited(long fromNanos, long untilNanos);
}

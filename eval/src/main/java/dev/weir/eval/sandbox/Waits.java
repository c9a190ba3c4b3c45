package dev.weir.eval.sandbox;

/**
 * Counts time that is spent waiting for what samples share, so that it is not counted as work.
 *
 * <p>Called by the task that waits, outside of locks. Must not throw.
 */
@FunctionalInterface
public interface Waits {

  /** Counts nothing. */
  Waits IGNORED = _ -> _ -> {};

  /**
   * A wait begins.
   *
   * @param fromNanos when, by {@link dev.weir.time.Time#nanos()}
   */
  Wait began(long fromNanos);

  /** A wait that has begun. */
  @FunctionalInterface
  interface Wait {

    /**
     * It has ended, also because it was cancelled. Called once.
     *
     * @param untilNanos when; not before it began
     */
    void ended(long untilNanos);
  }
}

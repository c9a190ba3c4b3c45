package dev.weir.limits;

import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.util.Optional;

/**
 * One exchange with the provider, made while a permit is held.
 *
 * <p>It neither waits for limits nor retries: the lane does. A failure is a value with its outcome;
 * what it throws ends the request.
 */
@FunctionalInterface
public interface Attempt<T> {

  /**
   * @param permit to tell what headers say, as early as they are read
   */
  Result<T> run(Permit permit) throws InterruptedException;

  /**
   * The exchange took longer than one may, and is about to be interrupted; before the lane learns
   * of it, on the task that makes the request.
   *
   * @param after how long one may take
   */
  default void timedOut(Duration after) {}

  /**
   * The exchange has been silent for longer than answers take, and is about to be interrupted. Not
   * called where an attempt has a fixed timeout.
   *
   * @param after how long it was waited for
   * @return what the caller gets if this attempt is the last; absent if there is nothing, and the
   *     request then ends with a {@link DeadlinePassedException}
   */
  default Optional<T> abandoned(Duration after) {
    return Optional.empty();
  }

  /**
   * @param outcome what the lane learns and decides by
   * @param used what the attempt really cost
   * @param value what the caller gets if this attempt is the last
   */
  record Result<T>(Outcome outcome, Cost used, T value) {}
}

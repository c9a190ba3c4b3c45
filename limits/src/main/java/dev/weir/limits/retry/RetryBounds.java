package dev.weir.limits.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How long a request is tried for.
 *
 * @param maxRetries attempts beyond the first; unlimited if absent: a rate limit or a fault of the
 *     provider is no reason to lose a sample
 * @param timeout for the whole request, waiting included
 * @param attemptTimeout for one attempt; one that takes longer is interrupted, and counts as a
 *     transient failure
 */
public record RetryBounds(
    OptionalInt maxRetries, Optional<Duration> timeout, Optional<Duration> attemptTimeout) {

  public static final RetryBounds NONE =
      new RetryBounds(OptionalInt.empty(), Optional.empty(), Optional.empty());

  public RetryBounds {
    if (maxRetries.isPresent() && maxRetries.getAsInt() < 0) {
      throw new IllegalArgumentException("`maxRetries` must be >= 0, was " + maxRetries.getAsInt());
    }
    requirePositive("timeout", timeout);
    requirePositive("attemptTimeout", attemptTimeout);
  }

  /**
   * Takes back a decision to try again that the bounds forbid.
   *
   * @param attempt the number of the attempt that ended, from 1
   * @param leftNanos until the deadline of the request
   */
  public Decision apply(Decision decision, int attempt, long leftNanos) {
    if (!(decision instanceof Decision.Again(Duration after))) {
      return decision;
    }
    if (maxRetries.isPresent() && attempt > maxRetries.getAsInt()) {
      return RetryPolicy.tooMany(maxRetries.getAsInt());
    }
    if (leftNanos <= 0 || after.compareTo(Duration.ofNanos(leftNanos)) >= 0) {
      return new Decision.GiveUp("the next attempt would come after the deadline");
    }
    return decision;
  }

  private static void requirePositive(String name, Optional<Duration> value) {
    if (value.isPresent() && !value.get().isPositive()) {
      throw new IllegalArgumentException("`%s` must be > 0, was %s".formatted(name, value.get()));
    }
  }
}

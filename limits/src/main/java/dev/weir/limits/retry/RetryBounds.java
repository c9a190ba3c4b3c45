package dev.weir.limits.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a request is tried again, and for how long. What is absent is as its mode has it.
 *
 * @param maxRetries attempts beyond the first, also while the provider is away; unlimited if
 *     absent: a rate limit or a fault of the provider is no reason to lose a sample
 * @param timeout for the whole request, waiting included
 * @param attemptTimeout for one attempt; one that takes longer is interrupted, and counts as a
 *     transient failure
 * @param queueTimeout for each wait for a permit; zero for no bound
 * @param requestBackoff the first wait after a broken connection or another transient failure,
 *     doubled from one to the next; refusals and overload have waits of their own
 * @param retry5xx whether a status of 500 is tried again; who makes an {@link Outcome} of a
 *     response asks for it
 * @param maxPoisonedAttempts attempts after which a request is poisoned, if all of them failed
 *     while other requests succeeded; 0 for never. If absent, {@value #DEFAULT_POISONED_ATTEMPTS}
 *     in mode {@code pace} and never in the other modes, whose retries are documented.
 */
public record RetryBounds(
    OptionalInt maxRetries,
    Optional<Duration> timeout,
    AttemptTimeout attemptTimeout,
    Optional<Duration> queueTimeout,
    Optional<Duration> requestBackoff,
    Optional<Boolean> retry5xx,
    OptionalInt maxPoisonedAttempts) {

  /** The fewest attempts after which a request is poisoned in mode {@code pace}. */
  public static final int DEFAULT_POISONED_ATTEMPTS = 8;

  /** A single failure has no other requests beside it to compare it with. */
  public static final int FEWEST_POISONED_ATTEMPTS = 2;

  /** The longest first wait that can be asked for. */
  public static final Duration LONGEST_BACKOFF = Duration.ofDays(1);

  public static final RetryBounds NONE =
      new RetryBounds(OptionalInt.empty(), Optional.empty(), Optional.empty());

  public RetryBounds {
    if (maxRetries.isPresent() && maxRetries.getAsInt() < 0) {
      throw new IllegalArgumentException("`maxRetries` must be >= 0, was " + maxRetries.getAsInt());
    }
    requirePositive("timeout", timeout);
    if (queueTimeout.isPresent() && queueTimeout.get().isNegative()) {
      throw new IllegalArgumentException("`queueTimeout` must be >= 0, was " + queueTimeout.get());
    }
    requirePositive("requestBackoff", requestBackoff);
    if (requestBackoff.isPresent() && requestBackoff.get().compareTo(LONGEST_BACKOFF) > 0) {
      throw new IllegalArgumentException(
          "`requestBackoff` must be <= %s, was %s"
              .formatted(LONGEST_BACKOFF, requestBackoff.get()));
    }
    int poisoned = maxPoisonedAttempts.orElse(0);
    if (poisoned != 0 && poisoned < FEWEST_POISONED_ATTEMPTS) {
      throw new IllegalArgumentException(
          "`maxPoisonedAttempts` must be 0 or >= %d, was %d"
              .formatted(FEWEST_POISONED_ATTEMPTS, poisoned));
    }
  }

  /** With queue, backoff, errors of servers and poisoned requests as the mode has them. */
  public RetryBounds(
      OptionalInt maxRetries, Optional<Duration> timeout, Optional<Duration> attemptTimeout) {
    this(
        maxRetries,
        timeout,
        attemptTimeout.<AttemptTimeout>map(AttemptTimeout.After::new).orElse(AttemptTimeout.OFF),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty());
  }

  public RetryBounds withAttemptTimeout(AttemptTimeout newTimeout) {
    return new RetryBounds(
        maxRetries,
        timeout,
        newTimeout,
        queueTimeout,
        requestBackoff,
        retry5xx,
        maxPoisonedAttempts);
  }

  public RetryBounds withQueueTimeout(Duration newTimeout) {
    return new RetryBounds(
        maxRetries,
        timeout,
        attemptTimeout,
        Optional.of(newTimeout),
        requestBackoff,
        retry5xx,
        maxPoisonedAttempts);
  }

  public RetryBounds withRequestBackoff(Duration newBackoff) {
    return new RetryBounds(
        maxRetries,
        timeout,
        attemptTimeout,
        queueTimeout,
        Optional.of(newBackoff),
        retry5xx,
        maxPoisonedAttempts);
  }

  public RetryBounds withRetry5xx(boolean retried) {
    return new RetryBounds(
        maxRetries,
        timeout,
        attemptTimeout,
        queueTimeout,
        requestBackoff,
        Optional.of(retried),
        maxPoisonedAttempts);
  }

  /**
   * @param attempts 0 for never
   */
  public RetryBounds withMaxPoisonedAttempts(int attempts) {
    return new RetryBounds(
        maxRetries,
        timeout,
        attemptTimeout,
        queueTimeout,
        requestBackoff,
        retry5xx,
        OptionalInt.of(attempts));
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

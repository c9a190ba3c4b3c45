package dev.weir.limits.retry;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decides whether a request is attempted again, and how long it waits before.
 *
 * <p>Retries are not bounded in number: a rate limit or a fault of the provider is no reason to
 * lose a sample. The wait is what the server asked for, else {@code 3 s * 2^(n-1) + U(0, 3 s)}
 * after the n-th attempt, at most 30 minutes. A server's wait is stretched by up to a tenth, so
 * that requests refused together do not return together.
 *
 * <p>Not thread-safe: the caller guards the generator.
 */
public final class RetryPolicy {

  private static final Duration FIRST_WAIT = Duration.ofSeconds(3);
  private static final Duration JITTER = Duration.ofSeconds(3);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(30);
  private static final double SERVER_WAIT_STRETCH = 0.1;

  private final RandomGenerator random;

  public RetryPolicy(RandomGenerator random) {
    this.random = random;
  }

  /**
   * @param attempt the number of the attempt that ended so, from 1
   */
  public Decision decide(Outcome outcome, int attempt) {
    if (attempt < 1) {
      throw new IllegalArgumentException("`attempt` must be >= 1, was " + attempt);
    }
    return switch (outcome) {
      case Outcome.Clean() -> new Decision.Done();
      case Outcome.Terminal() -> new Decision.Done();
      case Outcome.Transient() -> new Decision.Again(backoff(attempt));
      case Outcome.RateLimited(var serverWait) ->
          new Decision.Again(serverWait.map(this::stretched).orElseGet(() -> backoff(attempt)));
    };
  }

  private Duration backoff(int attempt) {
    // Beyond ten doublings the cap has long been reached; the bound keeps the shift in range.
    Duration doubled = FIRST_WAIT.multipliedBy(1L << Math.min(attempt - 1, 10));
    Duration wait = doubled.plusNanos(random.nextLong(JITTER.toNanos()));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  private Duration stretched(Duration wait) {
    return wait.plusNanos((long) (wait.toNanos() * SERVER_WAIT_STRETCH * random.nextDouble()));
  }
}

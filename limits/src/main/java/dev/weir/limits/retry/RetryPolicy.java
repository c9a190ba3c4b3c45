package dev.weir.limits.retry;

import dev.weir.limits.header.ResponseFacts;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * Decides whether a request is attempted again, and how long it waits before.
 *
 * <p>Not thread-safe: the owner guards the generator.
 */
public final class RetryPolicy {

  /** A server's wait is stretched by up to a tenth: requests refused together return apart. */
  private static final double SERVER_WAIT_STRETCH = 0.1;

  /** Far beyond every cap; keeps the shift in range. */
  private static final int MOST_DOUBLINGS = 20;

  private final Duration first;
  // Whether up to the first wait is added to each, so that requests that failed together part.
  private final boolean spread;
  private final Duration longest;
  private final OptionalInt maxRetries;
  // Whether a wait that the server names replaces the backoff, or only lengthens it.
  private final boolean serverDecides;
  private final RandomGenerator random;

  private RetryPolicy(
      Duration first,
      boolean spread,
      Duration longest,
      OptionalInt maxRetries,
      boolean serverDecides,
      RandomGenerator random) {
    this.first = first;
    this.spread = spread;
    this.longest = longest;
    this.maxRetries = maxRetries;
    this.serverDecides = serverDecides;
    this.random = random;
  }

  /**
   * The backoff that Inspect documents: {@code 3 s * 2^(n-1) + U(0, 3 s)} after the n-th attempt,
   * at most 30 minutes; longer if the server asks for more. The number of retries is not bounded
   * unless told: a rate limit or a fault of the provider is no reason to lose a sample.
   */
  public static RetryPolicy documented(OptionalInt maxRetries, RandomGenerator random) {
    return new RetryPolicy(
        Duration.ofSeconds(3), true, Duration.ofMinutes(30), maxRetries, false, random);
  }

  /** The retries that promptfoo documents: three, after 1, 2 and 4 s, or what the server names. */
  public static RetryPolicy threeTimes(RandomGenerator random) {
    return new RetryPolicy(
        Duration.ofSeconds(1), false, Duration.ofMinutes(1), OptionalInt.of(3), true, random);
  }

  /**
   * @param attempt the number of the attempt that ended so, from 1
   * @param bounds what goes before the policy's own numbers
   */
  public Decision decide(Outcome outcome, int attempt, RetryBounds bounds) {
    if (attempt < 1) {
      throw new IllegalArgumentException("`attempt` must be >= 1, was " + attempt);
    }
    return switch (outcome) {
      case Outcome.Clean _, Outcome.Terminal _, Outcome.Nothing _ -> new Decision.Done();
      case Outcome.Transient _ ->
          again(attempt, bounds.requestBackoff().orElse(first), Optional.empty(), bounds);
      case Outcome.RateLimited(var facts) -> again(attempt, first, askedWait(facts), bounds);
      case Outcome.Overloaded(var facts, _) -> again(attempt, first, askedWait(facts), bounds);
    };
  }

  private static Optional<Duration> askedWait(ResponseFacts facts) {
    return facts.serverWait().or(facts::windowEnd);
  }

  static Decision.GiveUp tooMany(int maxRetries) {
    return new Decision.GiveUp(
        switch (maxRetries) {
          case 0 -> "retries are off";
          case 1 -> "1 retry was not enough";
          default -> maxRetries + " retries were not enough";
        });
  }

  private Decision again(
      int attempt, Duration base, Optional<Duration> serverWait, RetryBounds bounds) {
    OptionalInt most = bounds.maxRetries().isPresent() ? bounds.maxRetries() : maxRetries;
    if (most.isPresent() && attempt > most.getAsInt()) {
      return tooMany(most.getAsInt());
    }
    Duration own = backoff(base, attempt);
    Optional<Duration> server = serverWait.filter(Duration::isPositive).map(this::stretched);
    return new Decision.Again(
        server.filter(wait -> serverDecides || wait.compareTo(own) > 0).orElse(own));
  }

  /** A first wait that is longer than the longest is what was asked for. */
  private Duration backoff(Duration base, int attempt) {
    Duration doubled = base.multipliedBy(1L << Math.min(attempt - 1, MOST_DOUBLINGS));
    Duration wait = spread ? doubled.plusNanos(random.nextLong(base.toNanos())) : doubled;
    Duration cap = base.compareTo(longest) > 0 ? base : longest;
    return wait.compareTo(cap) < 0 ? wait : cap;
  }

  private Duration stretched(Duration wait) {
    return wait.plusNanos((long) (wait.toNanos() * SERVER_WAIT_STRETCH * random.nextDouble()));
  }
}

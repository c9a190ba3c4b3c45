package dev.weir.limits;

import java.time.Duration;
import java.util.Optional;

/**
 * How long a lane waits for a provider that does not answer.
 *
 * @param unreached for a provider that has never answered, because no connection to it succeeds;
 *     absent for no bound
 * @param unanswered for a provider that no longer answers: every attempt breaks, stays silent or
 *     ends with HTTP 5xx; absent for no bound
 */
public record OutageBounds(Optional<Duration> unreached, Optional<Duration> unanswered) {

  /** Waits as long as each request may take. */
  public static final OutageBounds NONE = new OutageBounds(Optional.empty(), Optional.empty());

  public OutageBounds {
    requirePositive("unreached", unreached);
    requirePositive("unanswered", unanswered);
  }

  private static void requirePositive(String name, Optional<Duration> bound) {
    if (bound.isPresent() && !bound.get().isPositive()) {
      throw new IllegalArgumentException("`%s` must be > 0, was %s".formatted(name, bound.get()));
    }
  }
}

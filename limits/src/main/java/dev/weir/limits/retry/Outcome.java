package dev.weir.limits.retry;

import java.time.Duration;
import java.util.Optional;

/** What a finished attempt says about the provider; all that limits and retries depend on. */
public sealed interface Outcome {

  /** An answer. */
  record Clean() implements Outcome {}

  /** Refused because too much was asked for. */
  record RateLimited(Optional<Duration> serverWait) implements Outcome {

    public RateLimited {
      serverWait.ifPresent(
          wait -> {
            if (wait.isNegative()) {
              throw new IllegalArgumentException("`serverWait` must be >= 0, was " + wait);
            }
          });
    }
  }

  /** A fault that may not happen again: a broken connection, an internal error. */
  record Transient() implements Outcome {}

  /** The same request would fail again. */
  record Terminal() implements Outcome {}
}

package dev.weir.limits.control;

import java.time.Duration;
import java.util.Optional;

/**
 * One call of a {@link WindowControl}, as a value.
 *
 * <p>{@code at} counts from zero; a controller is told {@code origin + at}, so that a trace can run
 * across the point where a monotonic clock runs over.
 */
sealed interface Event {

  long at();

  record Acquired(long at, int inFlight) implements Event {}

  record Succeeded(long at, boolean neutral) implements Event {}

  record RateLimited(long at, Optional<Duration> retryAfter, Optional<Duration> reset)
      implements Event {}

  record TransientFailure(long at) implements Event {}

  record QuotaSeen(long at, double remainingShare) implements Event {}

  record Retuned(long at, int max) implements Event {}

  default void applyTo(WindowControl control, long origin) {
    long now = origin + at();
    switch (this) {
      case Acquired(_, int inFlight) -> control.acquired(now, inFlight);
      case Succeeded(_, boolean neutral) -> control.succeeded(now, neutral);
      case RateLimited(_, var retryAfter, var reset) -> control.rateLimited(now, retryAfter, reset);
      case TransientFailure(_) -> control.transientFailure(now);
      case QuotaSeen(_, double remainingShare) -> control.quotaSeen(now, remainingShare);
      case Retuned(_, int max) -> control.retune(now, max);
    }
  }
}

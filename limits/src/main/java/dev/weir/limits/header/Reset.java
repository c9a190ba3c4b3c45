package dev.weir.limits.header;

import java.time.Duration;

/**
 * When a bucket is full again, or a window ends, as far as a header says.
 *
 * <p>A header names a time with a resolution, often a whole second, and that may be longer than the
 * time itself. So the time lies between {@code after - slack} and {@code after + slack}.
 *
 * @param after how long it takes, at most 30 days; negative for a moment that has passed
 * @param slack how far that may be off, either way
 * @param base what the time counts from
 */
public record Reset(Duration after, Duration slack, Base base) {

  /** The start of a time. */
  public enum Base {
    /** The provider admitted the request and looked at the bucket: a duration says this. */
    ADMISSION,
    /** The response was sent: a moment on the provider's clock, compared with its date. */
    RESPONSE
  }

  private static final Duration MILLISECOND = Duration.ofMillis(1);

  public Reset {
    Durations.requireBounded("reset", after.abs());
    Durations.requireBounded("slack", slack);
  }

  /** A duration to the millisecond. */
  public static Reset in(Duration after) {
    return new Reset(after, MILLISECOND, Base.ADMISSION);
  }

  static Reset in(Duration after, Duration resolution) {
    return new Reset(after, resolution, Base.ADMISSION);
  }

  /** The time until then, for people; none if the moment has passed. */
  public Duration remaining() {
    return after.isNegative() ? Duration.ZERO : after;
  }
}

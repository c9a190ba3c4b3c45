package dev.weir.limits;

import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * How much a provider allows per minute, from what its headers say of one bucket.
 *
 * <p>A window that is named says it: its limit, per its length. Else, if a bucket is refilled
 * continuously, each response bounds its rate: what is missing, give or take what is rounded away,
 * by the time until it is full. Once the bounds of all responses leave little room, the rate is
 * known. Buckets that are filled at once, at the end of a window, soon contradict themselves; then,
 * and as long as little is known, the limit counts as that of a minute. Not thread-safe.
 */
final class HeaderQuota {

  /** The rate is known when its bounds are no further apart. */
  private static final double LITTLE_ROOM = 1.25;

  private static final double MILLI_MINUTE_ERROR = 10 / 60e3;
  private static final double WHOLE_SECOND_ERROR = 1 / 60.0;

  /** What is full again only after longer than this has no window of a minute. */
  private static final double LONGEST_RESET_OF_A_MINUTE = 1.5;

  private double least;
  private double most = Double.POSITIVE_INFINITY;
  private boolean hasNamedWindow;
  private OptionalDouble limitPerMinute = OptionalDouble.empty();

  void read(QuotaSnapshot quota) {
    if (quota.limit().isEmpty()) {
      return;
    }
    double limit = quota.limit().getAsDouble();
    double reset = quota.reset().map(Reset::remaining).map(HeaderQuota::minutes).orElse(0.0);
    if (quota.window().isPresent() && quota.window().get().isPositive()) {
      hasNamedWindow = true;
      limitPerMinute = OptionalDouble.of(limit / minutes(quota.window().get()));
    } else if (reset <= LONGEST_RESET_OF_A_MINUTE) {
      limitPerMinute = OptionalDouble.of(limit);
    }
    double missing = limit - quota.remaining().orElse(limit);
    if (missing > 0 && reset > 0) {
      boolean isWhole =
          quota.reset().map(Reset::remaining).orElse(Duration.ZERO).toNanosPart() == 0;
      double error = isWhole ? WHOLE_SECOND_ERROR : MILLI_MINUTE_ERROR;
      least = Math.max(least, (missing - quota.resolution()) / (reset + error));
      most = Math.min(most, (missing + quota.resolution()) / Math.max(0, reset - error));
    }
  }

  OptionalDouble perMinute() {
    if (hasNamedWindow) {
      return limitPerMinute;
    }
    boolean isContradictory = least > most;
    if (!isContradictory && least > 0 && most <= LITTLE_ROOM * least) {
      return OptionalDouble.of(Math.sqrt(least * most));
    }
    boolean isPossible =
        limitPerMinute.isPresent()
            && limitPerMinute.getAsDouble() >= least
            && limitPerMinute.getAsDouble() <= most;
    return isContradictory || isPossible ? limitPerMinute : OptionalDouble.empty();
  }

  private static double minutes(Duration duration) {
    return duration.toNanos() / 60e9;
  }
}

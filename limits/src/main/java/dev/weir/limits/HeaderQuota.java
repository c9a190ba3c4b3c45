package dev.weir.limits;

import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How much a provider allows per minute, from what its headers say of one bucket.
 *
 * <p>A named window says it: its limit, per its length. Else, if a bucket is refilled continuously,
 * each response bounds its rate: what is missing, give or take what is rounded away, by the time
 * until it is full. Once the bounds of all responses leave little room, the rate is known.
 *
 * <p>The limit itself may be a rate per minute, or only what the bucket holds. It counts as a rate
 * per minute where something confirms that: the bounds, the time that one missing request takes to
 * come back, or resets that count down from a minute. Otherwise nothing is known: without a reset,
 * the limit may as well be that of an hour. Not thread-safe.
 */
final class HeaderQuota {

  /** The rate is known when its bounds are no further apart. */
  private static final double LITTLE_ROOM = 1.25;

  /** Bounds that are no further apart confirm a limit between them. */
  private static final double ROOM_AROUND_THE_LIMIT = 2.5;

  private static final double MILLI_MINUTE_ERROR = 10 / 60e3;
  private static final double WHOLE_SECOND_ERROR = 1 / 60.0;

  /** What is full again only after longer than this has no window of a minute. */
  private static final double LONGEST_RESET_OF_A_MINUTE = 1.5;

  /** Resets that contradict a refill, but were never longer than this, may be of a short window. */
  private static final double LONG_RESET_OF_A_MINUTE = 0.5;

  /** Resets below it are too coarse to confirm a limit. */
  private static final double LEAST_EXACT_RESET = 10 / 60e3;

  private static final double EXACT = 0.05;

  private double least;
  private double most = Double.POSITIVE_INFINITY;
  private double longestReset;
  private boolean isConfirmed;
  private OptionalDouble limit = OptionalDouble.empty();
  private OptionalDouble named = OptionalDouble.empty();

  /**
   * @param took how long before its response the request was sent, at least
   */
  void read(QuotaSnapshot quota, Duration took) {
    if (quota.limit().isEmpty()) {
      return;
    }
    double full = quota.limit().getAsDouble();
    limit = OptionalDouble.of(full);
    Optional<Duration> window = quota.window().filter(Duration::isPositive);
    if (window.isPresent()) {
      named = OptionalDouble.of(full / minutes(window.get()));
    }
    if (quota.reset().isPresent()) {
      read(
          full - quota.remaining().orElse(full),
          full,
          quota.resolution(),
          quota.reset().get(),
          took);
    }
  }

  private void read(double missing, double full, double resolution, Reset said, Duration took) {
    double reset = minutes(said.remaining());
    longestReset = Math.max(longestReset, reset);
    if (missing <= 0 || reset <= 0) {
      return;
    }
    boolean isWhole = said.remaining().toNanosPart() == 0;
    double error =
        Math.max(isWhole ? WHOLE_SECOND_ERROR : MILLI_MINUTE_ERROR, minutes(said.slack()));
    // A moment is compared with when the response left, a while after the bucket was looked at.
    double late = said.base() == Reset.Base.RESPONSE ? minutes(took) : 0;
    least = Math.max(least, (missing - resolution) / (reset + error + late));
    most = Math.min(most, (missing + resolution) / Math.max(0, reset - error));
    isConfirmed |=
        missing <= resolution
            && !isWhole
            && late == 0
            && reset >= LEAST_EXACT_RESET
            && Math.abs(missing / reset / full - 1) <= EXACT;
  }

  OptionalDouble perMinute() {
    if (named.isPresent()) {
      return named;
    }
    boolean isContradictory = least > most;
    if (!isContradictory && least > 0 && most <= LITTLE_ROOM * least) {
      return OptionalDouble.of(Math.sqrt(least * most));
    }
    return limit.isPresent() && isPerMinute(limit.getAsDouble(), isContradictory)
        ? limit
        : OptionalDouble.empty();
  }

  private boolean isPerMinute(double rate, boolean isContradictory) {
    if (longestReset > LONGEST_RESET_OF_A_MINUTE) {
      return false;
    }
    if (isContradictory) {
      return longestReset >= LONG_RESET_OF_A_MINUTE;
    }
    boolean isBounded = least > 0 && most <= ROOM_AROUND_THE_LIMIT * least;
    return rate >= least && rate <= most && (isConfirmed || isBounded);
  }

  private static double minutes(Duration duration) {
    return duration.toNanos() / 60e9;
  }
}

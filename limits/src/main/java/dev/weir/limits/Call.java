package dev.weir.limits;

import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.util.Optional;

/**
 * A finished request.
 *
 * @param value what the last attempt gave
 * @param outcome how the last attempt ended
 * @param attempts how many there were, at least 1
 * @param gaveUp why no further attempt was made although one might have helped
 * @param times where the time went
 */
public record Call<T>(
    T value, Outcome outcome, int attempts, Optional<String> gaveUp, Times times) {

  /**
   * Where the time of a request went: waiting is never booked as latency of the model.
   *
   * @param queued waiting for others to end, over all attempts
   * @param paced waiting for the time that the pace allows, over all attempts
   * @param backedOff waiting between attempts
   * @param failed in attempts before the last one
   * @param called in the last attempt
   */
  public record Times(
      Duration queued, Duration paced, Duration backedOff, Duration failed, Duration called) {

    public static final Times NONE =
        new Times(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }
}

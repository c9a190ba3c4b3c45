package dev.weir.limits;

import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A finished request.
 *
 * @param value what the last attempt gave
 * @param outcome how the last attempt ended
 * @param attempts how many there were, at least 1
 * @param gaveUp why no further attempt was made although one might have helped
 * @param times where the time went
 * @param abandoned how long each attempt was waited for that was abandoned without an answer: it
 *     may have been billed
 * @param isPoisoned whether it was given up because it kept failing while others succeeded
 */
public record Call<T>(
    T value,
    Outcome outcome,
    int attempts,
    Optional<String> gaveUp,
    Times times,
    List<Duration> abandoned,
    boolean isPoisoned) {

  public Call {
    abandoned = List.copyOf(abandoned);
  }

  /** Without abandoned attempts. */
  public Call(T value, Outcome outcome, int attempts, Optional<String> gaveUp, Times times) {
    this(value, outcome, attempts, gaveUp, times, List.of(), false);
  }

  /**
   * This request, which was poisoned, and its last chance after all others had finished.
   *
   * @param waited how long it was put aside in between
   */
  public Call<T> then(Call<T> last, Duration waited) {
    List<Duration> all = new ArrayList<>(abandoned);
    all.addAll(last.abandoned);
    Times after = last.times;
    return new Call<>(
        last.value,
        last.outcome,
        attempts + last.attempts,
        last.gaveUp.map(_ -> gaveUp.orElse("") + ", and once more after all others had finished"),
        new Times(
            times.queued.plus(after.queued),
            times.paced.plus(after.paced),
            times.backedOff.plus(waited).plus(after.backedOff),
            times.failed.plus(times.called).plus(after.failed),
            after.called),
        all,
        last.gaveUp.isPresent());
  }

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

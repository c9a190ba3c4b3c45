package dev.weir.model.batch;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Response;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Looks at batches that are paid for, taken again when they fail in passing.
 *
 * <p>This is no second retry loop for model calls: nothing is sent by it. A batch is paid for once,
 * and its requests are lost to us if a look at it fails and nobody looks again. Whether a
 * submission is made again, or a request whose result is a failure, is the lane's decision, as
 * ever.
 */
final class Administration {

  /** Half a day of an outage, at the longest wait. */
  private static final int MOST_FAILURES_IN_A_ROW = 150;

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  private final Time time;
  private final Duration firstWait;

  Administration(Time time, Duration firstWait) {
    this.time = time;
    this.firstWait = firstWait;
  }

  /** One call. */
  @FunctionalInterface
  interface Call<T> {

    T make() throws BatchException, InterruptedException;
  }

  /**
   * @param trouble is told of each failure that is not the last
   * @throws BatchException if it fails for good, or too often
   */
  <T> T insist(Call<T> call, Consumer<Response.Failure> trouble)
      throws BatchException, InterruptedException {
    for (int failures = 1; ; failures++) {
      try {
        return call.make();
      } catch (BatchException failed) {
        if (failures == MOST_FAILURES_IN_A_ROW || !mayPass(failed.failure())) {
          throw failed;
        }
        trouble.accept(failed.failure());
        time.sleep(wait(failures, failed.failure()));
      }
    }
  }

  /** Whether the same call may succeed later. */
  private static boolean mayPass(Response.Failure failure) {
    return switch (failure) {
      case Response.RateLimited _,
          Response.Overloaded _,
          Response.Transient _,
          Response.UnreadableReply _ ->
          true;
      case Response.InvalidRequest _,
          Response.RefusedByPolicy _,
          Response.Authentication _,
          Response.QuotaExhausted _,
          Response.Cancelled _ ->
          false;
    };
  }

  /** What the server asks for; else longer with each failure, up to a bound. */
  private Duration wait(int failures, Response.Failure failure) {
    Optional<Duration> asked =
        switch (failure) {
          case Response.RateLimited(_, ResponseFacts facts, _) -> facts.serverWait();
          case Response.Overloaded(_, ResponseFacts facts, _) -> facts.serverWait();
          default -> Optional.empty();
        };
    Duration own = firstWait.multipliedBy(1L << Math.min(failures - 1, 20));
    Duration bounded = own.compareTo(LONGEST_WAIT) < 0 ? own : longest();
    return asked.filter(wait -> wait.compareTo(bounded) > 0).orElse(bounded);
  }

  private Duration longest() {
    return firstWait.compareTo(LONGEST_WAIT) > 0 ? firstWait : LONGEST_WAIT;
  }
}

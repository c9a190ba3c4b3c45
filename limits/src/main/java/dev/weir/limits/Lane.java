package dev.weir.limits;

import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.RetryPolicy;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;

/**
 * The call loop of one model: queue, permit, attempt, and again if need be.
 *
 * <p>It is the only place that retries. While a request waits for another attempt it holds nothing.
 *
 * <p>Thread-safe.
 */
public final class Lane {

  private final Time time;
  private final Limiter limiter;
  private final RetryPolicy policy;
  private final LongAdder retries = new LongAdder();

  /**
   * @param random spreads the waits between attempts
   */
  public Lane(Time time, Limiter limiter, RandomGenerator random) {
    this.time = time;
    this.limiter = limiter;
    this.policy = new RetryPolicy(random);
  }

  /** Makes attempts until one of them is answered or fails for good. */
  public <T> Call<T> call(Attempt<T> attempt) throws InterruptedException {
    long queued = 0;
    long backedOff = 0;
    long failed = 0;
    for (int number = 1; ; number++) {
      long asked = time.nanos();
      long granted;
      Attempt.Result<T> result;
      try (Permit _ = limiter.acquire()) {
        granted = time.nanos();
        result = attempt.run();
      }
      long ended = time.nanos();
      queued += granted - asked;
      switch (decide(result, number)) {
        case Decision.Done() -> {
          var times =
              new Call.Times(
                  Duration.ofNanos(queued),
                  Duration.ofNanos(backedOff),
                  Duration.ofNanos(failed),
                  Duration.ofNanos(ended - granted));
          return new Call<>(result.value(), result.outcome(), number, times);
        }
        case Decision.Again(Duration after) -> {
          retries.increment();
          failed += ended - granted;
          time.sleep(after);
          backedOff += time.nanos() - ended;
        }
      }
    }
  }

  public Status status() {
    return new Status(limiter.inFlight(), limiter.window(), limiter.waiting(), retries.sum());
  }

  /** The policy draws random numbers, and its generator is not made for several threads. */
  private synchronized Decision decide(Attempt.Result<?> result, int number) {
    return policy.decide(result.outcome(), number);
  }

  /**
   * What a lane is doing at this moment.
   *
   * @param inFlight attempts being made
   * @param window how many may be
   * @param waiting requests that wait for a permit
   * @param retries attempts beyond the first of a request, so far
   */
  public record Status(int inFlight, int window, int waiting, long retries) {}
}

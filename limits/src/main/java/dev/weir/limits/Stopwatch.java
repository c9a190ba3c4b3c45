package dev.weir.limits;

import dev.weir.time.Time;
import java.time.Duration;
import java.util.Optional;

/** Splits the time of a request by what it was spent on. Belongs to the task that makes it. */
final class Stopwatch {

  private final Time time;
  private long at;
  private long queued;
  private long paced;
  private long backedOff;
  private long failed;
  private long called;

  Stopwatch(Time time) {
    this.time = time;
    this.at = time.nanos();
  }

  void granted(long pacedNanos) {
    long waited = lap();
    long forPace = Math.clamp(pacedNanos, 0, waited);
    paced += forPace;
    queued += waited - forPace;
  }

  void ended() {
    called = lap();
  }

  /** The attempt that has just ended was not the last. */
  void failed() {
    failed += called;
  }

  void backedOff() {
    backedOff += lap();
  }

  <T> Call<T> call(Attempt.Result<T> result, int attempts, Optional<String> gaveUp) {
    return new Call<>(
        result.value(),
        result.outcome(),
        attempts,
        gaveUp,
        new Call.Times(
            Duration.ofNanos(queued),
            Duration.ofNanos(paced),
            Duration.ofNanos(backedOff),
            Duration.ofNanos(failed),
            Duration.ofNanos(called)));
  }

  private long lap() {
    long before = at;
    at = time.nanos();
    return at - before;
  }
}

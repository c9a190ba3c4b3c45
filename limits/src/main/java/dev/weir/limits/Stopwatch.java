package dev.weir.limits;

import dev.weir.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Counts the attempts of a request, and splits its time by what it was spent on. Belongs to the
 * task that makes it.
 */
final class Stopwatch {

  /** What the time since the last look goes to. */
  private enum Phase {
    QUEUEING,
    CALLING,
    BACKING_OFF
  }

  private final Time time;
  private Phase phase = Phase.QUEUEING;
  private long at;
  private long queued;
  private long paced;
  private long backedOff;
  private long failed;
  private long called;
  private int attempts;

  Stopwatch(Time time) {
    this.time = time;
    this.at = time.nanos();
  }

  void granted(long pacedNanos) {
    phase = Phase.CALLING;
    attempts++;
    long waited = lap();
    long forPace = Math.clamp(pacedNanos, 0, waited);
    paced += forPace;
    queued += waited - forPace;
  }

  void ended() {
    phase = Phase.BACKING_OFF;
    called = lap();
  }

  /** The attempt that has just ended was not the last. */
  void failed() {
    failed += called;
    called = 0;
  }

  void backedOff() {
    phase = Phase.QUEUEING;
    backedOff += lap();
  }

  <T> Call<T> call(
      Attempt.Result<T> result,
      Optional<String> gaveUp,
      List<Duration> abandoned,
      boolean isPoisoned) {
    return new Call<>(
        result.value(), result.outcome(), attempts, gaveUp, times(), abandoned, isPoisoned);
  }

  /** It was taken back. */
  CallInterruptedException interrupted(InterruptedException by) {
    cutOff();
    return new CallInterruptedException(by, attempts, times());
  }

  /** It has taken too long. */
  DeadlinePassedException late(DeadlinePassedException why) {
    cutOff();
    var late = new DeadlinePassedException(String.valueOf(why.getMessage()), attempts, times());
    late.addSuppressed(why);
    return late;
  }

  /** Others were refused for good while it waited. */
  StoppedException stopped(StoppedException why) {
    cutOff();
    var stopped =
        new StoppedException(why.scope(), why.reason(), why.isOutage(), attempts, times());
    stopped.addSuppressed(why);
    return stopped;
  }

  private void cutOff() {
    long last = lap();
    switch (phase) {
      case QUEUEING -> queued += last;
      case CALLING -> called = last;
      case BACKING_OFF -> backedOff += last;
    }
  }

  private Call.Times times() {
    return new Call.Times(
        Duration.ofNanos(queued),
        Duration.ofNanos(paced),
        Duration.ofNanos(backedOff),
        Duration.ofNanos(failed),
        Duration.ofNanos(called));
  }

  private long lap() {
    long before = at;
    at = time.nanos();
    return at - before;
  }
}

package dev.weir.cli;

import dev.weir.eval.run.RunProgress;
import dev.weir.limits.event.Constraint;
import dev.weir.statistics.Interval;
import dev.weir.statistics.Intervals;
import java.time.Duration;
import java.util.Optional;

/** A run's progress in one line; what matters most comes first. */
final class ProgressLine {

  private static final double CONFIDENCE = 0.95;

  /** How many standard errors there are on either side, if the numbers are many. */
  private static final double NORMAL_QUANTILE = 1.96;

  private ProgressLine() {}

  static String plain(RunProgress progress) {
    String outlook =
        progress.lane().inFlight() == 0 && progress.lane().backingOff() > 0
            ? progress.lane().backingOff() + " to try again" + next(progress)
            : "ETA " + eta(progress);
    return counts(progress)
        + " · "
        + Numbers.clock(progress.elapsed())
        + " · "
        + outlook
        + limitedBy(progress.waitingFor().constraint());
  }

  private static String counts(RunProgress progress) {
    // A window that all samples fit in bounds nothing, so it is not worth its place.
    String window =
        progress.lane().window() < progress.total() ? "/" + progress.lane().window() : "";
    String failed = progress.failed() == 0 ? "" : " · " + progress.failed() + " failed";
    return "%s/%s%s · %s%s in flight · %s retries"
        .formatted(
            progress.done(),
            progress.total(),
            failed,
            progress.lane().inFlight(),
            window,
            progress.lane().retries());
  }

  private static String next(RunProgress progress) {
    return progress
        .waitsFor()
        .map(wait -> ", next in " + Math.ceilDiv(wait.toMillis(), 1_000) + " s")
        .orElse("");
  }

  /** What the provider or the user sets the pace by; a full window shows already. */
  private static String limitedBy(Constraint constraint) {
    return switch (constraint) {
      case NOTHING, WINDOW, TURN, BACKOFF -> "";
      default -> " · " + constraint.word();
    };
  }

  /** When all samples will have ended, if it goes on like this. */
  static String eta(RunProgress progress) {
    if (progress.ended()) {
      return "done";
    }
    if (progress.done() == 0) {
      return "--:--";
    }
    double left = (double) (progress.total() - progress.done()) / progress.done();
    return Numbers.clock(Duration.ofNanos((long) (progress.elapsed().toNanos() * left)));
  }

  /** The mean score so far, with its interval. */
  static String score(RunProgress progress) {
    if (progress.scored() == 0) {
      return "–";
    }
    double mean = progress.scoreSum() / progress.scored();
    return interval(progress, mean)
        .map(interval -> Numbers.score(mean, interval.low(), interval.high()))
        .orElseGet(() -> Numbers.score(mean));
  }

  private static Optional<Interval> interval(RunProgress progress, double mean) {
    long count = progress.scored();
    long ones = Math.round(progress.scoreSum());
    // Of numbers from 0 to 1, only 0 and 1 are their own squares.
    boolean isBinary = progress.scoreSum() == ones && progress.scoreSquares() == ones && ones >= 0;
    if (isBinary && ones <= count) {
      return Optional.of(Intervals.wilson(ones, count, CONFIDENCE));
    }
    if (count < 2) {
      return Optional.empty();
    }
    double variance = Math.max(0, progress.scoreSquares() - count * mean * mean) / (count - 1.0);
    double half = NORMAL_QUANTILE * Math.sqrt(variance / count);
    return Optional.of(new Interval(mean - half, mean + half, CONFIDENCE));
  }
}

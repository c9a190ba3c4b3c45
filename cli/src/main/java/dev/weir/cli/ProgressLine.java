package dev.weir.cli;

import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Lane;
import java.util.Optional;

/** A run's progress in one line; what matters most comes first. */
final class ProgressLine {

  /** From here on it is a bound that was not chosen, such as that of mode pace. */
  private static final int WIDE_WINDOW = 1_000;

  private ProgressLine() {}

  static String plain(RunView view) {
    RunProgress progress = view.run();
    if (progress.paused().isPresent()) {
      return "%s · %s · paused: %s"
          .formatted(counts(view), Numbers.clock(progress.elapsed()), progress.paused().get());
    }
    if (progress.ending().isPresent()) {
      return "%s · %s · ending: %s open"
          .formatted(
              counts(view),
              Numbers.clock(progress.elapsed()),
              Numbers.count(progress.running(), "sample"));
    }
    String outlook =
        isBackingOff(progress)
            ? progress.lane().backingOff() + " to try again" + next(progress)
            : "ETA " + view.eta();
    String score = progress.score().map(so -> " · " + score(so)).orElse("");
    return counts(view)
        + score
        + " · "
        + Numbers.clock(progress.elapsed())
        + " · "
        + outlook
        + view.limit().map(words -> " · " + words).orElse("");
  }

  /** Whether all of it waits to be tried again. */
  static boolean isBackingOff(RunProgress progress) {
    return progress.lane().inFlight() == 0 && progress.lane().backingOff() > 0;
  }

  private static String counts(RunView view) {
    RunProgress progress = view.run();
    String failed = progress.failed() == 0 ? "" : " · " + progress.failed() + " failed";
    return "%s/%s%s%s%s%s"
        .formatted(
            progress.done(),
            progress.total(),
            failed,
            inFlight(progress),
            view.retries().isPresent() ? " · " + Numbers.retries(view.retries().getAsLong()) : "",
            abandoned(progress.lane()).map(words -> " · " + words).orElse(""));
  }

  private static String inFlight(RunProgress progress) {
    if (progress.lane().hasEngineLimit()) {
      return "";
    }
    // A window that all samples fit in bounds nothing, so it is not worth its place.
    String window =
        progress.lane().window() < progress.total() && isWorthShowing(progress.lane())
            ? "/" + progress.lane().window()
            : "";
    return " · %d%s in flight".formatted(progress.inFlight(), window);
  }

  /** Whether the window says something: one of thousands that is nearly empty does not. */
  static boolean isWorthShowing(Lane.Status lane) {
    return lane.window() < WIDE_WINDOW || 2L * lane.inFlight() >= lane.window();
  }

  /** Attempts that hung, if there were any. */
  static Optional<String> abandoned(Lane.Status lane) {
    return lane.abandoned() == 0
        ? Optional.empty()
        : Optional.of(
            "%d abandoned after %d s"
                .formatted(lane.abandoned(), Math.round(lane.abandonedAfter().toNanos() / 1e9)));
  }

  private static String next(RunProgress progress) {
    return progress
        .waitsFor()
        .map(wait -> ", next in " + Math.ceilDiv(wait.toMillis(), 1_000) + " s")
        .orElse("");
  }

  /** The mean score so far, with its interval. */
  static String score(RunProgress progress) {
    return progress.score().map(ProgressLine::score).orElse("–");
  }

  private static String score(RunProgress.Score score) {
    return score
        .interval()
        .map(interval -> Numbers.score(score.mean(), interval.low(), interval.high()))
        .orElseGet(() -> Numbers.score(score.mean()));
  }
}

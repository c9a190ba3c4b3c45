package dev.weir.cli;

import dev.weir.eval.run.Progress;
import java.time.Duration;
import java.util.Locale;

/** A run's progress in one line, narrow enough for a terminal of 80 columns. */
final class ProgressLine {

  private static final int BAR_CELLS = 20;

  private final boolean colours;

  ProgressLine(boolean colours) {
    this.colours = colours;
  }

  String live(Progress progress) {
    int filled = progress.total() == 0 ? 0 : BAR_CELLS * progress.done() / progress.total();
    String bar = "█".repeat(filled) + "░".repeat(BAR_CELLS - filled);
    return (colours ? "\u001b[36m" + bar + "\u001b[0m" : bar) + " " + plain(progress);
  }

  String plain(Progress progress) {
    return "%d/%d · %d/%d in flight · %d retries · %s · ETA %s"
        .formatted(
            progress.done(),
            progress.total(),
            progress.lane().inFlight(),
            progress.lane().window(),
            progress.lane().retries(),
            clock(progress.elapsed()),
            eta(progress));
  }

  private static String eta(Progress progress) {
    if (progress.done() == 0) {
      return "--:--";
    }
    double left = (double) (progress.total() - progress.done()) / progress.done();
    return clock(Duration.ofNanos((long) (progress.elapsed().toNanos() * left)));
  }

  /** Minutes and seconds; hours when there are any. */
  static String clock(Duration duration) {
    return duration.toHours() > 0
        ? String.format(
            Locale.ROOT,
            "%d:%02d:%02d",
            duration.toHours(),
            duration.toMinutesPart(),
            duration.toSecondsPart())
        : String.format(
            Locale.ROOT, "%02d:%02d", duration.toMinutesPart(), duration.toSecondsPart());
  }
}

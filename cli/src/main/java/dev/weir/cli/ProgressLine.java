package dev.weir.cli;

import dev.weir.eval.run.RunProgress;
import dev.weir.limits.event.Constraint;
import java.time.Duration;
import java.util.Locale;

/**
 * A run's progress in one line, narrow enough for a terminal of 80 columns; on one of 60, only time
 * and ETA are cut off.
 */
final class ProgressLine {

  private static final int LONGEST_BAR = 20;

  /** Columns of the whole line, and of the part of it that matters most. */
  private static final int WIDEST = 79;

  private static final int WIDEST_COUNTS = 60;

  private final boolean colours;

  ProgressLine(boolean colours) {
    this.colours = colours;
  }

  String live(RunProgress progress) {
    String text = plain(progress);
    // The bar says nothing that the numbers do not say, so it is the first to make room.
    int room = Math.min(WIDEST - text.length(), WIDEST_COUNTS - counts(progress).length()) - 1;
    int cells = Math.clamp(room, 0, LONGEST_BAR);
    if (cells == 0) {
      return text;
    }
    int filled =
        progress.total() == 0 ? 0 : (int) ((long) cells * progress.done() / progress.total());
    String bar = "█".repeat(filled) + "░".repeat(cells - filled);
    return (colours ? "\u001b[36m" + bar + "\u001b[0m" : bar) + " " + text;
  }

  String plain(RunProgress progress) {
    String outlook =
        progress.lane().inFlight() == 0 && progress.lane().backingOff() > 0
            ? progress.lane().backingOff() + " to try again" + next(progress)
            : "ETA " + eta(progress);
    return counts(progress)
        + " · "
        + clock(progress.elapsed())
        + " · "
        + outlook
        + limitedBy(progress.waitingFor().constraint());
  }

  private static String counts(RunProgress progress) {
    // A window that all samples fit in bounds nothing, so it is not worth its place.
    String window =
        progress.lane().window() < progress.total() ? "/" + progress.lane().window() : "";
    return "%s/%s · %s%s in flight · %s retries"
        .formatted(
            progress.done(),
            progress.total(),
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

  private static String eta(RunProgress progress) {
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

package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.run.RunProgress;
import dev.weir.model.Printable;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/**
 * Shows how a run is going: one line that moves on a terminal, a line now and then elsewhere.
 *
 * <p>Nothing is shown after it was closed, and no moving line stays behind. Thread-safe.
 */
final class Display implements AutoCloseable {

  private static final Duration LIVE_INTERVAL = Duration.ofMillis(100);
  private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(5);

  private static final String ERASE_LINE = "\r\u001b[2K";

  // Without wrapping, a line that is wider than the terminal is cut off at its edge; with it, each
  // repainting would leave a line behind. The width itself is nothing that Java could tell.
  private static final String WRAP_OFF = "\u001b[?7l";
  private static final String WRAP_ON = "\u001b[?7h";

  // What did not fit was written to the last column, each character over the one before. The cursor
  // goes back, or the first key that is pressed would wrap.
  private static final String TIDY_EDGE = "\u001b[K\r";

  private final Evaluation evaluation;
  private final Time time;
  private final ProgressLine line;
  private final boolean moving;
  private final PrintWriter writer;
  private final PrintWriter err;
  private final Task<?> painter;

  // Guarded by this: what is painted after closing would spoil the report.
  private boolean closed;

  private Display(Surroundings surroundings, Evaluation evaluation, boolean json) {
    this.evaluation = evaluation;
    this.time = surroundings.time();
    this.line = new ProgressLine(surroundings.colours());
    this.moving = surroundings.terminal() && !json;
    this.err = surroundings.err();
    this.writer = moving ? surroundings.out() : surroundings.err();
    if (!json) {
      evaluation.progress().forEach(run -> writer.println(heading(run)));
    }
    this.painter = time.start("display", this::paint);
  }

  private static String heading(RunProgress run) {
    return Printable.line(
        "%s on %s: %s %s"
            .formatted(
                run.task(), run.model(), run.total(), run.total() == 1 ? "sample" : "samples"));
  }

  static Display start(Surroundings surroundings, Evaluation evaluation, boolean json) {
    return new Display(surroundings, evaluation, json);
  }

  /** A line that stays, on standard error, above the one that moves. */
  synchronized void above(String text) {
    if (moving && !closed) {
      writer.print(ERASE_LINE);
      writer.flush();
    }
    err.println(text);
    err.flush();
  }

  @Override
  public void close() {
    painter.cancel();
    synchronized (this) {
      closed = true;
      if (moving) {
        writer.print(ERASE_LINE);
        writer.flush();
      }
    }
  }

  private void paint() throws InterruptedException {
    while (true) {
      if (moving) {
        show(ERASE_LINE + WRAP_OFF + line.live(current()) + TIDY_EDGE + WRAP_ON);
        time.sleep(LIVE_INTERVAL);
      } else {
        time.sleep(PLAIN_INTERVAL);
        show(line.plain(current()) + System.lineSeparator());
      }
    }
  }

  /** The first run that goes on. */
  private RunProgress current() {
    List<RunProgress> runs = evaluation.progress();
    return runs.stream().filter(run -> !run.ended()).findFirst().orElse(runs.getLast());
  }

  private synchronized void show(String text) {
    if (!closed) {
      writer.print(text);
      writer.flush();
    }
  }
}

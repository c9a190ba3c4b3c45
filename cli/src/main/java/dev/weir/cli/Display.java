package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.run.RunProgress;
import dev.weir.model.Printable;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Shows how a run is going: tables that move on a terminal, a line now and then elsewhere.
 *
 * <p>Nothing is shown after it was closed, and nothing that moves stays behind. Thread-safe.
 */
final class Display implements AutoCloseable {

  private static final Duration LIVE_INTERVAL = Duration.ofMillis(100);
  private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(5);
  private static final int MOST_PLAIN_LINES = 10;

  private final Evaluation evaluation;
  private final Surroundings surroundings;
  private final Time time;
  private final PrintWriter err;
  private final boolean colours;
  private final Task<?> painter;
  // Used by the painter alone.
  private final List<Outlook> outlooks = new ArrayList<>();
  // Written by the painter alone.
  private volatile int columns = ResultTable.UNBOUNDED;

  // Guarded by this: what is painted after closing would spoil the report.
  private final MovingPicture picture;
  private boolean closed;

  private Display(Surroundings surroundings, Evaluation evaluation, DisplayMode mode) {
    this.evaluation = evaluation;
    this.surroundings = surroundings;
    this.time = surroundings.time();
    this.err = surroundings.err();
    this.colours = surroundings.colours();
    this.picture = new MovingPicture(surroundings.out());
    this.painter =
        time.start(
            "display",
            () -> {
              switch (mode) {
                case FULL -> paint();
                case PLAIN -> tell();
                case NONE -> {}
              }
            });
  }

  /**
   * @param mode tables that move are for terminals: elsewhere there are plain lines
   * @param json whether nothing but the document is wanted on standard output
   */
  static Display start(
      Surroundings surroundings, Evaluation evaluation, DisplayMode mode, boolean json) {
    DisplayMode possible =
        mode == DisplayMode.FULL && (json || !surroundings.terminal()) ? DisplayMode.PLAIN : mode;
    if (possible == DisplayMode.PLAIN && !json) {
      evaluation.progress().forEach(run -> surroundings.err().println(heading(run)));
    }
    return new Display(surroundings, evaluation, possible);
  }

  private static String heading(RunProgress run) {
    return "%s: %s".formatted(name(run), Numbers.count(run.total(), "sample"));
  }

  private static String name(RunProgress run) {
    return Printable.line("%s on %s".formatted(run.task(), run.model()));
  }

  /** A line that stays, on standard error, above what moves. */
  synchronized void above(String text) {
    List<String> lines = closed ? List.of() : picture.erase();
    err.println(text);
    err.flush();
    if (!lines.isEmpty()) {
      picture.paint(lines);
    }
  }

  /** How wide the terminal was when last seen; very, if it was not looked at. */
  int columns() {
    return columns;
  }

  @Override
  public void close() {
    painter.cancel();
    synchronized (this) {
      closed = true;
      var _ = picture.erase();
    }
  }

  private void paint() throws InterruptedException {
    try (Screen screen = surroundings.screen().get()) {
      while (true) {
        show(screen);
        time.sleep(LIVE_INTERVAL);
      }
    }
  }

  private void show(Screen screen) {
    int width = screen.columns();
    columns = width;
    List<String> lines =
        new Frame(
                views(evaluation.progress()),
                evaluation.models(),
                evaluation.waitingForSandboxes(),
                colours)
            .lines(width, screen.rows());
    synchronized (this) {
      if (!closed) {
        picture.resize(width);
        picture.paint(lines);
      }
    }
  }

  /** Runs are always in the same order, so each finds what was seen of it before. */
  private List<RunView> views(List<RunProgress> runs) {
    List<RunView> views = new ArrayList<>();
    for (RunProgress run : runs) {
      if (outlooks.size() <= views.size()) {
        outlooks.add(new Outlook());
      }
      views.add(new RunView(run, outlooks.get(views.size()).left(run)));
    }
    return views;
  }

  private void tell() throws InterruptedException {
    while (true) {
      time.sleep(PLAIN_INTERVAL);
      List<RunView> runs = views(evaluation.progress());
      synchronized (this) {
        if (!closed) {
          plainLines(runs).forEach(err::println);
          err.flush();
        }
      }
    }
  }

  /** Of each run that goes on. */
  static List<String> plainLines(List<RunView> runs) {
    if (runs.size() == 1) {
      return List.of(ProgressLine.plain(runs.getFirst()));
    }
    List<RunView> going =
        runs.stream()
            .filter(view -> !view.run().ended())
            .filter(view -> view.run().running() > 0 || view.run().paused().isPresent())
            .toList();
    List<String> lines =
        new ArrayList<>(
            going.stream()
                .sorted(Comparator.comparingInt((RunView view) -> -view.run().running()))
                .limit(MOST_PLAIN_LINES)
                .map(view -> name(view.run()) + ": " + ProgressLine.plain(view))
                .toList());
    if (going.size() > MOST_PLAIN_LINES) {
      lines.add("and %s more".formatted(going.size() - MOST_PLAIN_LINES));
    }
    return lines;
  }
}

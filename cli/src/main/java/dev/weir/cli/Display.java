package dev.weir.cli;

import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/**
 * Shows how something is going: tables that move on a terminal, a line now and then elsewhere.
 *
 * <p>Nothing is shown after it was closed, and nothing that moves stays behind. Thread-safe.
 */
final class Display implements AutoCloseable {

  private static final Duration LIVE_INTERVAL = Duration.ofMillis(100);
  private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(5);

  private final Subject subject;
  private final Surroundings surroundings;
  private final Time time;
  private final PrintWriter err;
  private final Task<?> painter;
  // Written by the painter alone.
  private volatile int columns = ResultTable.UNBOUNDED;

  // Guarded by this: what is painted after closing would spoil the report.
  private final MovingPicture picture;
  private boolean closed;

  private Display(Surroundings surroundings, Subject subject, DisplayMode mode) {
    this.subject = subject;
    this.surroundings = surroundings;
    this.time = surroundings.time();
    this.err = surroundings.err();
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
  static Display start(Surroundings surroundings, Subject subject, DisplayMode mode, boolean json) {
    DisplayMode possible =
        mode == DisplayMode.FULL && (json || !surroundings.terminal()) ? DisplayMode.PLAIN : mode;
    if (possible == DisplayMode.PLAIN && !json) {
      subject.opening().forEach(surroundings.err()::println);
    }
    return new Display(surroundings, subject, possible);
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
    List<String> lines = subject.picture(width, screen.rows());
    synchronized (this) {
      if (!closed) {
        picture.resize(width);
        picture.paint(lines);
      }
    }
  }

  private void tell() throws InterruptedException {
    while (true) {
      time.sleep(PLAIN_INTERVAL);
      List<String> lines = subject.lines();
      synchronized (this) {
        if (!closed) {
          lines.forEach(err::println);
          err.flush();
        }
      }
    }
  }
}

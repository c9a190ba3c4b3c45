package dev.weir.cli;

import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.Printable;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Shows what happens call by call, as much of it as was asked for. Thread-safe. */
final class LiveLog implements BiConsumer<LogLevel, TraceRecord> {

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  private final Surroundings surroundings;
  // Set once it is known; the task file may say it.
  private volatile LogLevel level = LogLevel.WARNING;
  private volatile @Nullable Display display;

  LiveLog(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  void show(LogLevel least) {
    level = least;
  }

  /** Lines must not be written into the one that moves. */
  void beside(Display moving) {
    display = moving;
  }

  @Override
  public void accept(LogLevel of, TraceRecord record) {
    if (!level.shows(of)) {
      return;
    }
    String line = line(record);
    Display moving = display;
    if (moving == null) {
      surroundings.err().println(line);
    } else {
      moving.above(line);
    }
  }

  static String line(TraceRecord record) {
    return CLOCK.format(record.at()) + " " + Printable.line(record.line());
  }
}

package dev.weir.log;

import dev.weir.log.inspect.InspectLogWriter;
import dev.weir.log.inspect.JsonBody;
import dev.weir.log.inspect.SampleId;
import dev.weir.log.journal.JournalLockedException;
import dev.weir.log.journal.JournalReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The files of logs: journals, and what becomes of them. */
public final class LogFiles {

  /** How the name of a journal ends. */
  public static final String JOURNAL = ".journal";

  /** How the name of a log of a run that has ended does. */
  public static final String EVAL = ".eval";

  /** A history is a help; the whole of it is in the trace. */
  private static final int MOST_CHANGES = 100_000;

  private LogFiles() {}

  /** The name that a journal has when it has become an {@code .eval} file. */
  public static Path eval(Path journal) {
    String name = String.valueOf(journal.getFileName());
    String stem =
        name.endsWith(JOURNAL) ? name.substring(0, name.length() - JOURNAL.length()) : name;
    return journal.resolveSibling(stem + EVAL);
  }

  /**
   * Makes an {@code .eval} file of a journal that is not written any more, and removes the journal
   * when the file is whole and on the disk.
   *
   * @throws JournalLockedException if the run goes on
   */
  public static Path convert(Path journal) throws IOException {
    if (JournalReader.isBeingWritten(journal)) {
      throw new IOException(journal + ": the run goes on; wait until it has ended");
    }
    Path eval = eval(journal);
    try (var reader = JournalLogReader.open(JournalReader.open(journal), journal)) {
      write(reader, eval);
    }
    Files.deleteIfExists(journal);
    return eval;
  }

  /** Writes any log as an {@code .eval} file. */
  static void write(RunLogReader log, Path eval) throws IOException {
    try (var writer = InspectLogWriter.create(eval)) {
      writer.start(json(InspectHeaderWriter.start(log.start())));
      var counted = new SampleCount(log.start());
      for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
        SampleResult sample = next.get();
        counted.add(sample);
        writer.sample(
            SampleId.of(sample.id()), sample.epoch(), json(InspectSampleWriter.whole(sample)));
        writer.summary(LogJson.LINES.writeValueAsBytes(InspectSampleWriter.summary(sample)));
      }
      Optional<RunResult> end = log.end();
      var limits =
          log instanceof JournalLogReader journal
              ? journal.limits(MOST_CHANGES)
              : List.<LimitChange>of();
      var changes =
          log instanceof JournalLogReader journal
              ? journal.changes(MOST_CHANGES)
              : List.<ConfigChange>of();
      RunResult result = end.orElseGet(counted::killed);
      writer.finish(json(InspectHeaderWriter.header(result, limits, changes)));
    }
  }

  private static JsonBody json(JsonNode tree) {
    return out -> LogJson.LINES.writeValue(out, tree);
  }
}

package dev.weir.log;

import dev.weir.log.inspect.Cursor;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectLogWriter;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.JsonBody;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Logs as {@code .eval} files: made of a journal, or of what another program wrote. */
final class EvalForm {

  /** A history is a help; the whole of it is in the trace. */
  private static final int MOST_CHANGES = 100_000;

  private EvalForm() {}

  /**
   * Writes a journal as an {@code .eval} file, one without an end as that of a killed run.
   *
   * @return how many samples need not be run again
   */
  static long write(JournalLogReader log, Path eval, boolean goesOn) throws IOException {
    try (var writer = InspectLogWriter.create(eval)) {
      Optional<String> foreign = log.foreignHeader();
      ObjectNode start = InspectHeaderWriter.start(log.start());
      writer.start(json(ForeignHeader.kept(foreign, start)));
      SampleIds ids = log.start().dataset().sampleIds();
      Optional<RunResult> end = log.end();
      var counted = new SampleCount(log.start());
      boolean isKilled = end.isEmpty() && !goesOn;
      long finished = 0;
      for (Optional<StoredSample> next = log.stored(); next.isPresent(); next = log.stored()) {
        StoredSample stored = next.get();
        finished += stored.key().summary().hasFinished() ? 1 : 0;
        stored.writeTo(writer, ids);
        if (isKilled) {
          counted.add(stored);
        }
      }
      for (Optional<LoggedSample> next = log.logged(); next.isPresent(); next = log.logged()) {
        SampleResult sample = next.get().sample();
        finished += sample.hasFinished() ? 1 : 0;
        next.get().writeTo(writer, ids);
        counted.add(sample);
      }
      if (end.isEmpty() && goesOn) {
        writer.finishStarted();
        return finished;
      }
      writeReductions(log, foreign, isKilled ? counted.reductions() : List.of(), writer);
      RunResult result = end.isPresent() ? end.get() : log.usedBefore().addedTo(counted.killed());
      writer.finish(json(header(result, log)));
      return finished;
    }
  }

  private static void writeReductions(
      JournalLogReader log,
      Optional<String> foreign,
      List<Reduced> counted,
      InspectLogWriter writer)
      throws IOException {
    if (foreign.isPresent()) {
      Optional<String> all = ForeignHeader.reductions(foreign.get(), reductions(log, counted));
      if (all.isPresent()) {
        writer.reductions(out -> out.write(all.get()));
      }
    } else if (log.hasReductions() || !counted.isEmpty()) {
      writer.reductions(out -> writeReductions(log, counted, out));
    }
  }

  /** Those that the run has told; or else, those that were counted. */
  static void writeReductions(JournalLogReader log, List<Reduced> counted, Writer out)
      throws IOException {
    if (log.hasReductions()) {
      log.writeReductions(out);
      return;
    }
    var text = new ReductionsText(out, log.start().dataset().sampleIds());
    for (Reduced reduced : counted) {
      text.add(reduced);
    }
    text.end();
  }

  static String reductions(JournalLogReader log, List<Reduced> counted) throws IOException {
    var json = new StringWriter();
    writeReductions(log, counted, json);
    return json.toString();
  }

  /** The header of a run with the history that its journal has. */
  static ObjectNode header(RunResult result, JournalLogReader log) throws IOException {
    ObjectNode own =
        InspectHeaderWriter.header(result, log.limits(MOST_CHANGES), log.changes(MOST_CHANGES));
    return ForeignHeader.kept(log.foreignHeader(), own);
  }

  private static JsonBody json(JsonNode tree) {
    return out -> LogJson.LINES.writeValue(out, tree);
  }

  /** As it stands: what another program wrote is not understood first. */
  static void copy(InspectLog log, InspectLogWriter writer) throws IOException {
    String header = log.headerJson();
    String start = EvalLogJson.start(header);
    writer.start(out -> out.write(start));
    boolean hasSummaries = log.hasWholeSummaries();
    try (Cursor<InspectSample> samples = log.samples()) {
      for (InspectSample next = samples.next(); next != null; next = samples.next()) {
        writer.sample(next.id(), next.epoch(), next.json());
        if (!hasSummaries) {
          writer.summary(summary(next));
        }
      }
    }
    if (hasSummaries) {
      copySummaries(log, writer);
    }
    Optional<String> reductions = log.reductionsJson();
    if (reductions.isPresent()) {
      writer.reductions(out -> out.write(reductions.get()));
    }
    if (log.header().status().equals("started")) {
      writer.finishStarted();
    } else {
      writer.finish(out -> out.write(header));
    }
  }

  private static void copySummaries(InspectLog log, InspectLogWriter writer) throws IOException {
    try (Cursor<InspectSample> summaries = log.summaries()) {
      for (InspectSample next = summaries.next(); next != null; next = summaries.next()) {
        // Who finds it in the list must find it in the file.
        if (!log.isDamaged(next.id(), next.epoch())) {
          writer.summary(next.json());
        }
      }
    }
  }

  private static byte[] summary(InspectSample sample) throws IOException {
    JsonNode json = LogJson.LINES.readTree(sample.json());
    return InspectSampleReader.isOwn(json)
        ? InspectSampleWriter.summary(
            InspectSampleReader.read(json), SampleIds.of(List.of(sample.id())))
        : sample.summary();
  }
}

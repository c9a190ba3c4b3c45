package dev.weir.log;

import dev.weir.log.inspect.Cursor;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.SampleId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A log in one of Inspect's forms, whoever wrote it. Not thread-safe. */
final class InspectLogReader extends RunLogReader {

  private final Path file;
  private final InspectLog log;
  private final JsonNode header;
  private final RunStart start;
  private @Nullable Cursor<InspectSample> samples;

  private InspectLogReader(Path file, InspectLog log, JsonNode header) {
    this.file = file;
    this.log = log;
    this.header = header;
    this.start = InspectHeaderReader.start(header);
  }

  static InspectLogReader open(InspectLog log, Path file) throws IOException {
    try {
      return new InspectLogReader(file, log, LogJson.LINES.readTree(log.headerJson()));
    } catch (JacksonException foreign) {
      log.close();
      throw new IOException(
          "%s: its header cannot be used: %s".formatted(file, foreign.getOriginalMessage()),
          foreign);
    } catch (IOException | RuntimeException unusable) {
      log.close();
      throw unusable;
    }
  }

  @Override
  public RunStart start() {
    return start;
  }

  @Override
  public Optional<SampleResult> sample() throws IOException {
    Cursor<InspectSample> cursor = samples;
    if (cursor == null) {
      cursor = log.samples();
      samples = cursor;
    }
    InspectSample next = cursor.next();
    return next == null ? Optional.empty() : Optional.of(read(next));
  }

  private SampleResult read(InspectSample sample) throws IOException {
    try {
      JsonNode json = LogJson.LINES.readTree(sample.json());
      return InspectSampleReader.isOwn(json)
          ? InspectSampleReader.read(json)
          : InspectSampleReader.read(LogJson.LINES.readTree(sample.resolved().json()));
    } catch (JacksonException foreign) {
      throw new IOException(
          "%s: %s cannot be used: %s".formatted(file, sample, foreign.getOriginalMessage()),
          foreign);
    }
  }

  @Override
  public Optional<RunResult> end() {
    return InspectHeaderReader.end(header, start);
  }

  @Override
  public List<SampleSummary> summaries() throws IOException {
    List<SampleSummary> summaries = new ArrayList<>();
    try (Cursor<InspectSample> cursor = log.summaries()) {
      for (InspectSample next = cursor.next(); next != null; next = cursor.next()) {
        summaries.add(InspectSampleReader.summary(LogJson.LINES.readTree(next.json())));
      }
    }
    return summaries;
  }

  @Override
  public Optional<SampleResult> sample(String id, int epoch) throws IOException {
    Optional<InspectSample> found = log.sample(SampleId.of(id), epoch);
    return found.isEmpty() ? Optional.empty() : Optional.of(read(found.get()));
  }

  @Override
  public List<ErrorHistory> errors(int most) throws IOException {
    List<ErrorHistory> errors = new ArrayList<>();
    try (Cursor<InspectSample> cursor = log.summaries()) {
      for (InspectSample next = cursor.next();
          next != null && errors.size() < most;
          next = cursor.next()) {
        JsonNode json = LogJson.LINES.readTree(next.json());
        SampleSummary summary = InspectSampleReader.summary(json);
        if (ErrorHistory.has(summary)) {
          Optional<InspectSample> whole = log.sample(id(json.path("id")), summary.epoch());
          if (whole.isPresent()) {
            errors.add(ErrorHistory.of(read(whole.get())));
          }
        }
      }
    }
    return errors;
  }

  private static SampleId id(JsonNode id) {
    return id.isIntegralNumber() ? SampleId.of(id.asLong()) : SampleId.of(id.asString(""));
  }

  @Override
  public List<String> damage() {
    return List.of();
  }

  @Override
  public void close() throws IOException {
    try (var _ = samples) {
      log.close();
    }
  }
}

package dev.weir.log;

import dev.weir.log.inspect.Cursor;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.SampleId;
import dev.weir.log.journal.JournalReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A log as one JSON document, as Inspect's {@code .json} logs are: first what is known of the run,
 * then the samples, which are held one at a time.
 */
public final class EvalLogJson implements Closeable {

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
                  .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                  .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                  .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                  .build())
          .build();

  private final JsonGenerator out;
  private final boolean indented;

  private EvalLogJson(Writer out, boolean indented) {
    this.indented = indented;
    this.out =
        indented
            ? JSON.writerWithDefaultPrettyPrinter().createGenerator(out)
            : JSON.createGenerator(out);
  }

  /**
   * Writes a log.
   *
   * @param headerOnly whether samples are left out
   * @param indented for people; else everything is in one line
   * @return what is damaged and therefore left out, in sentences
   * @throws IOException if the log cannot be read
   */
  public static List<String> write(Path file, Writer to, boolean headerOnly, boolean indented)
      throws IOException {
    try (var json = new EvalLogJson(to, indented)) {
      if (RunLogReader.isJournal(file)) {
        return json.journal(file, headerOnly);
      }
      return json.inspect(file, headerOnly);
    } catch (JacksonException broken) {
      throw broken.getCause() instanceof IOException below
          ? below
          : new IOException(file + ": " + broken.getOriginalMessage(), broken);
    }
  }

  /**
   * Writes one sample as it stands in the log.
   *
   * @return whether there is such a sample; else nothing is written
   */
  public static boolean writeSample(Path file, String id, int epoch, Writer to, boolean indented)
      throws IOException {
    Optional<String> sample =
        RunLogReader.isJournal(file) ? ofJournal(file, id, epoch) : ofInspect(file, id, epoch);
    if (sample.isPresent()) {
      try (var json = new EvalLogJson(to, indented)) {
        json.value(sample.get());
      }
    }
    return sample.isPresent();
  }

  private static Optional<String> ofJournal(Path file, String id, int epoch) throws IOException {
    try (var log = JournalLogReader.open(JournalReader.open(file), file)) {
      Optional<StoredSample> stored = log.stored(id, epoch);
      return stored.isPresent()
          ? Optional.of(stored.get().json())
          : log.logged(id, epoch).map(sample -> text(sample, log));
    }
  }

  private static String text(LoggedSample sample, RunLogReader log) {
    return new String(sample.json(log.start().dataset().sampleIds()), StandardCharsets.UTF_8);
  }

  private static Optional<String> ofInspect(Path file, String id, int epoch) throws IOException {
    try (var log = InspectLog.open(file)) {
      return log.sample(SampleId.of(id), epoch).map(InspectSample::text);
    }
  }

  /** The part of a header that is known when the run begins. */
  static String start(String header) {
    ObjectNode all = (ObjectNode) JSON.readTree(header);
    return all.retain("version", "eval", "plan").toString();
  }

  private List<String> inspect(Path file, boolean headerOnly) throws IOException {
    try (var log = InspectLog.open(file)) {
      begin(log.headerJson());
      if (!headerOnly) {
        out.writeName("samples");
        out.writeStartArray();
        try (Cursor<InspectSample> samples = log.samples()) {
          for (InspectSample next = samples.next(); next != null; next = samples.next()) {
            value(next.text());
          }
        }
        out.writeEndArray();
        Optional<String> reductions = log.reductionsJson();
        if (reductions.isPresent()) {
          out.writeName("reductions");
          value(reductions.get());
        }
      }
      out.writeEndObject();
      return log.damage();
    }
  }

  private List<String> journal(Path file, boolean headerOnly) throws IOException {
    // It stands before the samples that it counts, so they are read twice.
    LogFiles.Ended ended = LogFiles.ended(file);
    List<String> damage = ended.damage();
    begin(journalHeader(file, ended.result()).toString());
    if (!headerOnly) {
      out.writeName("samples");
      out.writeStartArray();
      try (var log = JournalLogReader.open(JournalReader.open(file), file)) {
        for (Optional<StoredSample> next = log.stored(); next.isPresent(); next = log.stored()) {
          value(next.get().json());
        }
        // Those that are still in another log.
        for (Optional<LoggedSample> next = log.logged(); next.isPresent(); next = log.logged()) {
          value(text(next.get(), log));
        }
        out.writeEndArray();
        if (log.hasReductions() || !ended.reductions().isEmpty()) {
          out.writeName("reductions");
          value(EvalForm.reductions(log, ended.reductions()));
        }
        damage = log.damage();
      }
    }
    out.writeEndObject();
    return damage;
  }

  private static ObjectNode journalHeader(Path file, Optional<RunResult> result)
      throws IOException {
    try (var log = JournalLogReader.open(JournalReader.open(file), file)) {
      if (result.isPresent()) {
        return EvalForm.header(result.get(), log);
      }
      ObjectNode header = JSON.createObjectNode();
      InspectHeaderWriter.start(log.start())
          .properties()
          .forEach(field -> header.set(field.getKey(), field.getValue()));
      return header.put("status", "started");
    }
  }

  /** Opens the object and writes all fields of the header. */
  private void begin(String header) {
    out.writeStartObject();
    try (JsonParser parser = JSON.createParser(header)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        out.writeName(parser.currentName());
        parser.nextToken();
        out.copyCurrentStructureExact(parser);
      }
    }
  }

  private void value(String json) {
    if (!indented) {
      out.writeRawValue(json);
      return;
    }
    try (JsonParser parser = JSON.createParser(json)) {
      parser.nextToken();
      out.copyCurrentStructureExact(parser);
    }
  }

  @Override
  public void close() {
    out.close();
  }
}

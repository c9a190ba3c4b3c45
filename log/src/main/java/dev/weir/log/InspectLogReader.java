package dev.weir.log;

import dev.weir.log.inspect.Cursor;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.SampleId;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.node.ObjectNode;

/** A log in one of Inspect's forms, whoever wrote it. Not thread-safe. */
final class InspectLogReader extends RunLogReader {

  private static final int MOST_TOLD = 100;

  /** What a summary of Weir's own is read for. */
  private static final Set<String> OWN_SUMMARY =
      Set.of("id", "epoch", "scores", "error", "retries", InspectJson.WEIR);

  private static final ObjectReader PARTS =
      LogJson.LINES.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final Path file;
  private final InspectLog log;
  private final JsonNode header;
  private final RunStart start;
  private @Nullable Cursor<InspectSample> samples;
  private @Nullable Set<String> only;
  // Those whose errors are worth reading, once they are known.
  private @Nullable List<SampleSummary> withErrors;
  private byte @Nullable [] foreign;
  private final Set<String> unusable = new LinkedHashSet<>();

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
  public void only(Set<String> ids) {
    only = Set.copyOf(ids);
  }

  @Override
  public Optional<SampleResult> sample() throws IOException {
    Cursor<InspectSample> cursor = samples;
    if (cursor == null) {
      cursor = only == null ? log.samples() : log.samples(only);
      samples = cursor;
    }
    return next(cursor);
  }

  /** The next that can be used; others are told. */
  private Optional<SampleResult> next(Cursor<InspectSample> cursor) throws IOException {
    for (InspectSample next = cursor.next(); next != null; next = cursor.next()) {
      try {
        return Optional.of(read(next));
      } catch (UnusableException foreign) {
        if (unusable.size() < MOST_TOLD) {
          unusable.add(String.valueOf(foreign.getMessage()));
        }
      }
    }
    return Optional.empty();
  }

  /** JSON, but not that of a sample. */
  private static final class UnusableException extends IOException {

    private static final long serialVersionUID = 1;

    UnusableException(String message, Throwable why) {
      super(message, why);
    }
  }

  private SampleResult read(InspectSample sample) throws IOException {
    try {
      LoggedSample read = InspectSampleReader.read(sample);
      foreign = read.foreign();
      return read.sample();
    } catch (JacksonException foreign) {
      throw new UnusableException(
          "%s: %s cannot be used: %s".formatted(file, sample, foreign.getOriginalMessage()),
          foreign);
    }
  }

  @Override
  byte @Nullable [] foreign() {
    return foreign;
  }

  @Override
  public Optional<String> foreignHeader() throws IOException {
    return ForeignHeader.isForeign(header)
        ? Optional.of(ForeignHeader.of(log.headerJson(), log.reductionsJson()))
        : Optional.empty();
  }

  @Override
  public Optional<RunResult> end() {
    return InspectHeaderReader.end(header, start);
  }

  @Override
  public List<SampleSummary> summaries() throws IOException {
    Optional<List<SampleSummary>> listed = listed();
    List<SampleSummary> summaries = listed.isPresent() ? listed.get() : summariesOfSamples();
    withErrors = summaries.stream().filter(ErrorHistory::has).toList();
    return summaries;
  }

  /** What the list of samples tells; absent if it cannot be read, which is noted. */
  private Optional<List<SampleSummary>> listed() throws IOException {
    List<SampleSummary> summaries = new ArrayList<>();
    try (Cursor<InspectSample> cursor = log.summaries()) {
      for (InspectSample next = cursor.next(); next != null; next = cursor.next()) {
        summaries.add(summary(next.json()));
      }
      return Optional.of(summaries);
    } catch (ClosedChannelException closed) {
      throw closed;
    } catch (IOException | JacksonException damaged) {
      boolean _ = log.hasWholeSummaries();
      return Optional.empty();
    }
  }

  /** Of what Weir wrote, only what it needs is read: there may be hundreds of thousands. */
  private static SampleSummary summary(byte[] json) {
    ObjectNode needed = LogJson.LINES.createObjectNode();
    try (JsonParser parser = LogJson.LINES.createParser(json)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        if (OWN_SUMMARY.contains(field)) {
          needed.set(field, PARTS.readTree(parser));
        } else {
          parser.skipChildren();
        }
      }
    }
    return InspectSampleReader.summary(
        needed.has(InspectJson.WEIR) ? needed : LogJson.LINES.readTree(json));
  }

  /** Takes long; but a damaged list of samples is no damage to the samples. */
  private List<SampleSummary> summariesOfSamples() throws IOException {
    List<SampleSummary> summaries = new ArrayList<>();
    try (Cursor<InspectSample> cursor = log.samples()) {
      for (Optional<SampleResult> next = next(cursor); next.isPresent(); next = next(cursor)) {
        summaries.add(SampleSummary.of(next.get()));
      }
    }
    return summaries;
  }

  @Override
  boolean readsAnywhere() {
    return log.readsAnywhere();
  }

  @Override
  public Optional<SampleResult> sample(String id, int epoch) throws IOException {
    Optional<InspectSample> found = log.sample(SampleId.of(id), epoch);
    return found.isEmpty() ? Optional.empty() : Optional.of(read(found.get()));
  }

  @Override
  public List<ErrorHistory> errors(int most) throws IOException {
    List<SampleSummary> known = withErrors;
    if (known == null) {
      known = summaries().stream().filter(ErrorHistory::has).toList();
    }
    Map<String, Set<Integer>> wanted = new HashMap<>();
    known.stream()
        .limit(most)
        .forEach(
            sample ->
                wanted.computeIfAbsent(sample.id(), _ -> new HashSet<>()).add(sample.epoch()));
    List<ErrorHistory> errors = new ArrayList<>();
    if (wanted.isEmpty()) {
      return errors;
    }
    // One that is damaged is left out: a history is a help, and the sample is run again anyway.
    try (Cursor<InspectSample> cursor = log.samples(wanted.keySet())) {
      for (Optional<SampleResult> next = next(cursor); next.isPresent(); next = next(cursor)) {
        SampleResult sample = next.get();
        if (wanted.getOrDefault(sample.id(), Set.of()).contains(sample.epoch())) {
          errors.add(ErrorHistory.of(sample));
        }
      }
    }
    return errors;
  }

  @Override
  public List<String> damage() {
    List<String> damage = new ArrayList<>(log.damage());
    damage.addAll(unusable);
    return damage;
  }

  @Override
  public void close() throws IOException {
    try (var _ = samples) {
      log.close();
    }
  }
}

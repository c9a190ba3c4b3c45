package dev.weir.log;

import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.Damage;
import dev.weir.log.journal.DamageReport;
import dev.weir.log.journal.JournalEntry;
import dev.weir.log.journal.JournalFormatException;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** The log of a run that has not ended, or was killed. Not thread-safe. */
final class JournalLogReader extends RunLogReader {

  private final Path file;
  private final JournalReader journal;
  private final RunStart start;
  private @Nullable Cursor<JournalRecord> records;
  private @Nullable RunLogReader earlier;
  private boolean hasLookedForEarlier;
  private Optional<String> missing = Optional.empty();
  private byte @Nullable [] foreign;
  // Once they are needed.
  private final Set<SamplePlace> own = new HashSet<>();

  private JournalLogReader(Path file, JournalReader journal, RunStart start) {
    this.file = file;
    this.journal = journal;
    this.start = start;
  }

  static JournalLogReader open(JournalReader journal, Path file) throws IOException {
    try {
      return new JournalLogReader(file, journal, start(journal, file));
    } catch (IOException | RuntimeException unusable) {
      journal.close();
      throw unusable;
    }
  }

  private static RunStart start(JournalReader journal, Path file) throws IOException {
    Optional<JournalRecord> last = lastWhole(journal, LogRecords.START);
    return last.isPresent() ? parsed(file, last.get(), RunStart.class) : anyStart(journal, file);
  }

  /** The last record of a type, unless it is damaged. */
  private static Optional<JournalRecord> lastWhole(JournalReader journal, int type)
      throws IOException {
    try {
      Optional<JournalEntry> entry = journal.last(type);
      return entry.isEmpty() ? Optional.empty() : Optional.of(journal.read(entry.get().offset()));
    } catch (JournalFormatException damaged) {
      // Whoever reads all records is told.
      return Optional.empty();
    }
  }

  /** It is written twice: if one is damaged, the other does. */
  private static RunStart anyStart(JournalReader journal, Path file) throws IOException {
    Cursor<JournalRecord> records = journal.records();
    long samples = 0;
    long others = 0;
    for (JournalRecord record = records.next(); record != null; record = records.next()) {
      switch (record.type()) {
        case LogRecords.START -> {
          return parsed(file, record, RunStart.class);
        }
        case LogRecords.SAMPLE -> samples++;
        default -> others++;
      }
    }
    if (samples + others == 0 && isAtMostTorn(records.damage())) {
      throw new IOException(
          "%s %s: the run was killed before its first call, and there is nothing to keep"
              .formatted(file, Files.size(file) == 0 ? "is empty" : "has no whole record"));
    }
    throw new IOException(
        "%s: how the run began cannot be read, and without it %d whole samples cannot be used. %s"
            .formatted(file, samples, String.join(". ", told(records.damage()))));
  }

  private static List<String> told(DamageReport report) {
    List<String> told = new ArrayList<>();
    report.first().stream().map(Damage::toString).forEach(told::add);
    if (report.places() > told.size()) {
      told.add("%d other places are damaged, too".formatted(report.places() - told.size()));
    }
    return told;
  }

  private static <T> T parsed(Path file, JournalRecord record, Class<T> type) throws IOException {
    try {
      return LogJson.LINES.readValue(record.body(), type);
    } catch (JacksonException foreign) {
      throw new IOException(
          "%s: the record at byte %d is not what this Weir writes: %s"
              .formatted(file, record.offset(), foreign.getOriginalMessage()),
          foreign);
    }
  }

  @Override
  public RunStart start() {
    return start;
  }

  @Override
  public Optional<SampleResult> sample() throws IOException {
    Optional<StoredSample> stored = stored();
    if (stored.isEmpty()) {
      Optional<SampleResult> elsewhere = notCopied();
      foreign = earlier == null ? null : earlier.foreign();
      return elsewhere;
    }
    LoggedSample logged = stored.get().logged();
    foreign = logged.foreign();
    return Optional.of(logged.sample());
  }

  @Override
  byte @Nullable [] foreign() {
    return foreign;
  }

  @Override
  public Optional<String> foreignHeader() throws IOException {
    Optional<JournalRecord> record = lastWhole(journal, LogRecords.FOREIGN);
    return record.isEmpty()
        ? Optional.empty()
        : Optional.of(new String(record.get().body(), StandardCharsets.UTF_8));
  }

  /** The next sample that this journal has itself; then those that it was to copy are left. */
  Optional<StoredSample> stored() throws IOException {
    Cursor<JournalRecord> cursor = records;
    if (cursor == null) {
      cursor = journal.records();
      records = cursor;
    }
    for (JournalRecord record = cursor.next(); record != null; record = cursor.next()) {
      if (record.type() == LogRecords.SAMPLE) {
        return Optional.of(StoredSample.of(file, record));
      }
    }
    return Optional.empty();
  }

  /**
   * The log that this one goes on with, if it was killed before all was copied that it was to keep.
   */
  private Optional<RunLogReader> earlier() throws IOException {
    if (!hasLookedForEarlier) {
      hasLookedForEarlier = true;
      boolean isNeeded = start.retryOf().isPresent() && journal.count(LogRecords.COPIED) == 0;
      Optional<Path> log = isNeeded ? LogFiles.find(file, start.retryOf().get()) : Optional.empty();
      if (isNeeded && log.isEmpty()) {
        missing = Optional.of(start.retryOf().get() + ", which is gone");
      }
      if (log.isPresent()) {
        earlier = opened(log.get());
      }
    }
    return Optional.ofNullable(earlier);
  }

  /** What this journal has itself is there, even if the other log cannot be read at all. */
  private @Nullable RunLogReader opened(Path log) throws IOException {
    try {
      return RunLogReader.open(log);
    } catch (ClosedChannelException closed) {
      throw closed;
    } catch (IOException unreadable) {
      missing = Optional.of("%s, which cannot be read (%s)".formatted(log, Problem.of(unreadable)));
      return null;
    }
  }

  private Optional<SampleResult> notCopied() throws IOException {
    Optional<RunLogReader> from = earlier();
    if (from.isEmpty()) {
      return Optional.empty();
    }
    if (own.isEmpty()) {
      ownSummaries().forEach(summary -> own.add(new SamplePlace(summary.id(), summary.epoch())));
    }
    for (Optional<SampleResult> next = from.get().sample();
        next.isPresent();
        next = from.get().sample()) {
      SampleResult sample = next.get();
      if (sample.hasFinished() && !own.contains(new SamplePlace(sample.id(), sample.epoch()))) {
        return next;
      }
    }
    return Optional.empty();
  }

  @Override
  public Optional<RunResult> end() throws IOException {
    Optional<JournalRecord> record = lastWhole(journal, LogRecords.END);
    if (record.isEmpty()) {
      return Optional.empty();
    }
    ObjectNode json = parsed(file, record.get(), ObjectNode.class);
    json.set("start", LogJson.LINES.valueToTree(start));
    return Optional.of(LogJson.LINES.treeToValue(json, RunResult.class));
  }

  @Override
  public List<SampleSummary> summaries() throws IOException {
    Optional<RunLogReader> from = earlier();
    if (from.isEmpty()) {
      return ownSummaries();
    }
    Map<SamplePlace, SampleSummary> all = new LinkedHashMap<>();
    from.get().summaries().stream()
        .filter(SampleSummary::hasFinished)
        .forEach(summary -> all.put(new SamplePlace(summary.id(), summary.epoch()), summary));
    ownSummaries()
        .forEach(summary -> all.put(new SamplePlace(summary.id(), summary.epoch()), summary));
    return List.copyOf(all.values());
  }

  /** Those of the samples that this journal has itself. */
  List<SampleSummary> ownSummaries() throws IOException {
    Map<SamplePlace, SampleSummary> summaries = new LinkedHashMap<>();
    Cursor<JournalEntry> entries = journal.entries();
    for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.type() == LogRecords.SAMPLE) {
        SampleSummary summary = SampleKey.read(entry.key()).summary();
        summaries.put(new SamplePlace(summary.id(), summary.epoch()), summary);
      }
    }
    return List.copyOf(summaries.values());
  }

  private record SamplePlace(String id, int epoch) {

    // Written out: what Java makes for records is slow until it has run very often.

    @Override
    public boolean equals(Object other) {
      return other instanceof SamplePlace place && epoch == place.epoch && id.equals(place.id);
    }

    @Override
    public int hashCode() {
      return 31 * id.hashCode() + epoch;
    }
  }

  @Override
  public Optional<SampleResult> sample(String id, int epoch) throws IOException {
    Optional<StoredSample> found = stored(id, epoch);
    if (found.isPresent()) {
      LoggedSample logged = found.get().logged();
      foreign = logged.foreign();
      return Optional.of(logged.sample());
    }
    Optional<RunLogReader> from = earlier();
    Optional<SampleResult> elsewhere =
        from.isEmpty() ? Optional.empty() : from.get().sample(id, epoch);
    foreign = from.isEmpty() ? null : from.get().foreign();
    return elsewhere;
  }

  /** One of the samples that this journal has itself. */
  Optional<StoredSample> stored(String id, int epoch) throws IOException {
    Optional<Long> offset = Optional.empty();
    Cursor<JournalEntry> entries = journal.entries();
    for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.type() == LogRecords.SAMPLE) {
        SampleSummary summary = SampleKey.read(entry.key()).summary();
        if (summary.id().equals(id) && summary.epoch() == epoch) {
          offset = Optional.of(entry.offset());
        }
      }
    }
    return offset.isEmpty() ? Optional.empty() : Optional.of(at(offset.get()));
  }

  private StoredSample at(long offset) throws IOException {
    return StoredSample.of(file, journal.read(offset));
  }

  /** How many samples need not be run again; what the run said of itself at its end counts. */
  long finished() throws IOException {
    Optional<RunResult> end = end();
    return end.isPresent()
        ? end.get().samples().scored()
        : summaries().stream().filter(SampleSummary::hasFinished).count();
  }

  @Override
  public List<ErrorHistory> errors(int most) throws IOException {
    Map<SamplePlace, Long> offsets = new LinkedHashMap<>();
    Set<SamplePlace> ended = new HashSet<>();
    Cursor<JournalEntry> entries = journal.entries();
    for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.type() == LogRecords.SAMPLE) {
        SampleSummary summary = SampleKey.read(entry.key()).summary();
        var place = new SamplePlace(summary.id(), summary.epoch());
        ended.add(place);
        offsets.remove(place);
        if (ErrorHistory.has(summary) && offsets.size() < most) {
          offsets.put(place, entry.offset());
        }
      }
    }
    List<ErrorHistory> errors = new ArrayList<>();
    for (long offset : offsets.values()) {
      try {
        errors.add(ErrorHistory.of(at(offset).sample()));
      } catch (JournalFormatException damaged) {
        // A history is a help; the sample is run again anyway.
      }
    }
    Optional<RunLogReader> from = earlier();
    if (from.isPresent()) {
      from.get().errors(most).stream()
          .filter(before -> !ended.contains(new SamplePlace(before.id(), before.epoch())))
          .limit(most - errors.size())
          .forEach(errors::add);
    }
    return errors;
  }

  /** How windows changed, the last so many. */
  List<LimitChange> limits(int most) throws IOException {
    return all(LogRecords.LIMIT, LimitChange.class, most);
  }

  /** What somebody did to the run. */
  List<ConfigChange> changes(int most) throws IOException {
    return all(LogRecords.CHANGE, ConfigChange.class, most);
  }

  /** Whether it tells what became of repeated samples. */
  boolean hasReductions() throws IOException {
    return journal.count(LogRecords.REDUCED) > 0;
  }

  /** What became of repeated samples, as Inspect's logs have it. */
  void writeReductions(Writer out) throws IOException {
    var text = new ReductionsText(out);
    Cursor<JournalEntry> entries = journal.entries();
    for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.type() == LogRecords.REDUCED) {
        Optional<Reduced> part = whole(entry, Reduced.class);
        if (part.isPresent()) {
          text.add(part.get());
        }
      }
    }
    text.end();
  }

  private <T> List<T> all(int type, Class<T> as, int most) throws IOException {
    List<T> all = new ArrayList<>();
    Cursor<JournalEntry> entries = journal.entries();
    for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.type() == type) {
        whole(entry, as).ifPresent(all::add);
        if (all.size() > most) {
          all.removeFirst();
        }
      }
    }
    return all;
  }

  /** What is damaged is told when all records are read. */
  private <T> Optional<T> whole(JournalEntry entry, Class<T> as) throws IOException {
    try {
      return Optional.of(parsed(file, journal.read(entry.offset()), as));
    } catch (JournalFormatException damaged) {
      return Optional.empty();
    }
  }

  @Override
  public List<String> damage() {
    List<String> damage = new ArrayList<>();
    missing.ifPresent(
        log ->
            damage.add(
                "%s goes on with %s: what was not copied yet is run again".formatted(file, log)));
    Cursor<JournalRecord> cursor = records;
    if (cursor != null) {
      damage.addAll(told(cursor.damage()));
    }
    if (earlier != null) {
      damage.addAll(earlier.damage());
    }
    return damage;
  }

  /**
   * Whether something was written once that cannot be read now, known when the last sample has been
   * read. A torn tail is none: it never was whole.
   */
  boolean hasLost() {
    Cursor<JournalRecord> cursor = records;
    return missing.isPresent() || (cursor != null && !isAtMostTorn(cursor.damage()));
  }

  private static boolean isAtMostTorn(DamageReport report) {
    return report.first().stream().allMatch(Damage.TornTail.class::isInstance);
  }

  @Override
  public void close() throws IOException {
    try (var _ = earlier) {
      journal.close();
    }
  }
}

package dev.weir.log;

import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.DamageReport;
import dev.weir.log.journal.JournalEntry;
import dev.weir.log.journal.JournalFormatException;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The samples that a journal has itself: one after another with their bodies, or through its index
 * without them. Of a sample that was run again, the last counts. Not thread-safe.
 */
final class JournalSamples {

  private final Path file;
  private final JournalReader journal;
  private @Nullable Cursor<JournalRecord> records;
  // Once one is looked for.
  private @Nullable Map<SamplePlace, Long> offsets;

  JournalSamples(Path file, JournalReader journal) {
    this.file = file;
    this.journal = journal;
  }

  private interface Visitor {
    void see(SampleSummary summary, long offset);
  }

  private void visit(Visitor visitor) throws IOException {
    Cursor<JournalEntry> entries = journal.entries();
    for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.type() == LogRecords.SAMPLE) {
        visitor.see(SampleKey.read(entry.key()).summary(), entry.offset());
      }
    }
  }

  /**
   * The next one, with its body.
   *
   * @param only the ids of those that are wanted; absent for all
   */
  Optional<StoredSample> next(@Nullable Set<String> only) throws IOException {
    Cursor<JournalRecord> cursor = records;
    if (cursor == null) {
      cursor = journal.records();
      records = cursor;
    }
    for (JournalRecord record = cursor.next(); record != null; record = cursor.next()) {
      boolean isWanted =
          record.type() == LogRecords.SAMPLE
              && (only == null || only.contains(SampleKey.read(record.key()).summary().id()));
      if (isWanted) {
        return Optional.of(StoredSample.of(file, record));
      }
    }
    return Optional.empty();
  }

  /** What was found damaged so far; absent if none was read. */
  Optional<DamageReport> damage() {
    return Optional.ofNullable(records).map(Cursor::damage);
  }

  Map<SamplePlace, SampleSummary> summaries() throws IOException {
    Map<SamplePlace, SampleSummary> summaries = new LinkedHashMap<>();
    visit((summary, _) -> summaries.put(SamplePlace.of(summary), summary));
    return summaries;
  }

  /** One of them; after the first, without going through the others. */
  Optional<StoredSample> find(String id, int epoch) throws IOException {
    Map<SamplePlace, Long> known = offsets;
    if (known == null) {
      Map<SamplePlace, Long> found = new HashMap<>();
      visit((summary, offset) -> found.put(SamplePlace.of(summary), offset));
      known = found;
      offsets = found;
    }
    Long offset = known.get(new SamplePlace(id, epoch));
    return offset == null ? Optional.empty() : Optional.of(at(offset));
  }

  private StoredSample at(long offset) throws IOException {
    return StoredSample.of(file, journal.read(offset));
  }

  /**
   * What samples failed with.
   *
   * @param most so many at most
   */
  List<ErrorHistory> errors(int most) throws IOException {
    Map<SamplePlace, Long> failed = new LinkedHashMap<>();
    visit(
        (summary, offset) -> {
          var place = SamplePlace.of(summary);
          failed.remove(place);
          if (ErrorHistory.has(summary) && failed.size() < most) {
            failed.put(place, offset);
          }
        });
    List<ErrorHistory> errors = new ArrayList<>();
    for (long offset : failed.values()) {
      try {
        errors.add(ErrorHistory.of(at(offset).sample()));
      } catch (JournalFormatException damaged) {
        // A history is a help; the sample is run again anyway.
      }
    }
    return errors;
  }
}

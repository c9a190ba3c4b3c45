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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * What the records of a journal mean that are not samples: how the run began and ended, and what
 * happened to it. What is damaged is as if it were not there; whoever reads all records is told.
 */
record JournalRecords(Path file, JournalReader journal) {

  /** How the run began. */
  RunStart start() throws IOException {
    return start(RunStart.class);
  }

  /** How it goes on with another log, if it does. */
  GoingOn goingOn() throws IOException {
    return start(Began.class).goingOn().orElse(GoingOn.PLAINLY);
  }

  /** What is told of a run when it begins, beside what is known of it for good. */
  record Began(Optional<GoingOn> goingOn) {}

  private <T> T start(Class<T> as) throws IOException {
    Optional<T> last = last(LogRecords.START, as);
    return last.isPresent() ? last.get() : anyStart(as);
  }

  /** It is written twice: if one is damaged, the other does. */
  private <T> T anyStart(Class<T> as) throws IOException {
    Cursor<JournalRecord> records = journal.records();
    long samples = 0;
    long others = 0;
    for (JournalRecord record = records.next(); record != null; record = records.next()) {
      switch (record.type()) {
        case LogRecords.START -> {
          return parsed(record, as);
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

  /** The last record of a type. */
  Optional<JournalRecord> last(int type) throws IOException {
    try {
      Optional<JournalEntry> entry = journal.last(type);
      return entry.isEmpty() ? Optional.empty() : Optional.of(journal.read(entry.get().offset()));
    } catch (JournalFormatException damaged) {
      return Optional.empty();
    }
  }

  /** What the last record of a type says. */
  <T> Optional<T> last(int type, Class<T> as) throws IOException {
    Optional<JournalRecord> record = last(type);
    return record.isEmpty() ? Optional.empty() : Optional.of(parsed(record.get(), as));
  }

  /** What the records of a type say, the last so many. */
  <T> List<T> all(int type, Class<T> as, int most) throws IOException {
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

  /** Whether it tells what became of repeated samples. */
  boolean hasReductions() throws IOException {
    return journal.count(LogRecords.REDUCED) > 0;
  }

  /** What became of repeated samples, as Inspect's logs have it. */
  void writeReductions(Writer out, SampleIds ids) throws IOException {
    var text = new ReductionsText(out, ids);
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

  private <T> Optional<T> whole(JournalEntry entry, Class<T> as) throws IOException {
    try {
      return Optional.of(parsed(journal.read(entry.offset()), as));
    } catch (JournalFormatException damaged) {
      return Optional.empty();
    }
  }

  private <T> T parsed(JournalRecord record, Class<T> type) throws IOException {
    try {
      return LogJson.LINES.readValue(record.body(), type);
    } catch (JacksonException foreign) {
      throw new IOException(
          "%s: the record at byte %d is not what this Weir writes: %s"
              .formatted(file, record.offset(), foreign.getOriginalMessage()),
          foreign);
    }
  }

  /** What is damaged, in sentences. */
  static List<String> told(DamageReport report) {
    List<String> told = new ArrayList<>();
    report.first().stream().map(Damage::toString).forEach(told::add);
    if (report.places() > told.size()) {
      told.add("%d other places are damaged, too".formatted(report.places() - told.size()));
    }
    return told;
  }

  /** Whether nothing is lost that ever was whole. */
  static boolean isAtMostTorn(DamageReport report) {
    return report.first().stream().allMatch(Damage.TornTail.class::isInstance);
  }
}

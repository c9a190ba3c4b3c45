package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.weir.log.LogRecovery.Recovered;
import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.JournalEntry;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalReader;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flipped bits in the journal of a run: what else is in it is still there, and it is told. */
class RunJournalDamageTest {

  private static final int SAMPLES = 3;

  private static final int HEAD = 36;

  @TempDir Path directory;

  private Path journal = Path.of("");
  private byte[] whole = {};
  private List<JournalEntry> records = List.of();

  /** One record of each type. */
  @BeforeEach
  void write() throws Exception {
    RunStart start = LogFixtures.start("capitals");
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      log.append(new LimitChange(start.started(), "sim/demo", 10, 5, "manual"));
      for (int epoch = 1; epoch <= SAMPLES; epoch++) {
        log.append(LogFixtures.sample("question", epoch));
      }
      log.append(
          new ConfigChange(
              start.started(), "paused", Optional.empty(), "yes", "me", Optional.empty()));
      log.copied();
      log.append(new Reduced("includes", "mean", List.of(new Reduced.Value("a", 1))));
      log.end(LogFixtures.result(start));
      journal = log.file();
    }
    whole = Files.readAllBytes(journal);
    try (var reader = JournalReader.open(journal)) {
      records = new ArrayList<>();
      Cursor<JournalEntry> entries = reader.entries();
      for (JournalEntry entry = entries.next(); entry != null; entry = entries.next()) {
        records.add(entry);
      }
    }
    assertThat(records)
        .extracting(JournalEntry::type)
        .containsExactly(1, 1, 3, 2, 2, 2, 4, 6, 7, 5);
  }

  private void flip(int at, int bit) throws IOException {
    byte[] flipped = whole.clone();
    flipped[at] ^= (byte) (1 << bit);
    Files.write(journal, flipped);
  }

  /** The epochs of what a log has, each of them as it was written. */
  private static List<Integer> epochs(RunLogReader log) throws IOException {
    List<Integer> epochs = new ArrayList<>();
    for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
      assertThat(next.get()).isEqualTo(LogFixtures.sample("question", next.get().epoch()));
      epochs.add(next.get().epoch());
    }
    return epochs;
  }

  @Test
  void aFlippedBitCostsOneRecordAtMost() throws IOException {
    var random = new Random(6);
    long end = records.getLast().offset() + records.getLast().length();
    for (int at = 0; at < whole.length; at += 1 + random.nextInt(16)) {
      flip(at, random.nextInt(8));
      try (var log = RunLogReader.open(journal)) {
        String what = "byte " + at;
        List<Integer> epochs = epochs(log);
        int lost = SAMPLES - epochs.size();
        assertThat(lost).as(what).isBetween(0, typeAt(at) == LogRecords.SAMPLE ? 1 : 0);
        assertThat(epochs).as(what).doesNotHaveDuplicates();
        assertThat(log.start()).as(what).isEqualTo(LogFixtures.start("capitals"));
        boolean hasEnd = log.end().isPresent();
        assertThat(hasEnd || typeAt(at) == LogRecords.END).as(what).isTrue();
        assertThat(log.damage()).as(what).hasSize(1);
        // The head of what comes last cannot be told from half a record.
        String told = at < end ? "expected checksum" : journal.toString();
        assertThat(log.damage().getFirst()).as(what).contains(told);
      }
    }
  }

  private int typeAt(int at) {
    int type = 0;
    for (JournalEntry record : records) {
      type = record.offset() <= at && at < record.offset() + record.length() ? record.type() : type;
    }
    return type;
  }

  @Test
  void whateverRecordIsHitTheRestIsRecovered() throws IOException {
    for (JournalEntry record : records) {
      long end = record.offset() + record.length();
      for (long at : new long[] {record.offset() + 5, record.offset() + HEAD - 1, end - 1}) {
        flip((int) at, 2);
        Recovered recovered = LogRecovery.recover(journal, false);
        assertThat(recovered.damage()).as("byte " + at).hasSize(1);
        try (var log = RunLogReader.open(recovered.log().orElseThrow())) {
          int lost = record.type() == LogRecords.SAMPLE ? 1 : 0;
          assertThat(epochs(log)).as("byte " + at).hasSize(SAMPLES - lost);
          assertThat(log.summaries()).as("byte " + at).hasSize(SAMPLES - lost);
        }
      }
    }
  }

  /** Killed runs have no index that would tell where records are. */
  @Test
  void aKilledRunIsReadByEitherOfItsBeginnings() throws IOException {
    int end = (int) (records.get(4).offset() + records.get(4).length());
    whole = Arrays.copyOf(whole, end);
    for (JournalEntry start : records.subList(0, 2)) {
      for (int at : new int[] {5, HEAD + 10}) {
        flip((int) start.offset() + at, 1);
        try (var log = RunLogReader.open(journal)) {
          assertThat(log.start()).isEqualTo(LogFixtures.start("capitals"));
          assertThat(epochs(log)).containsExactly(1, 2);
          assertThat(log.damage()).hasSize(1);
        }
      }
    }
  }

  @Test
  void withoutAnyBeginningThePlacesAreNamed() throws IOException {
    Map<Integer, Integer> places =
        Map.of((int) records.get(0).offset(), 5, (int) records.get(1).offset(), HEAD + 10);
    places.forEach((record, at) -> whole[record + at] ^= 1);
    Files.write(journal, whole);
    assertThatIOException()
        .isThrownBy(() -> RunLogReader.open(journal))
        .withMessageContaining("3 whole samples cannot be used")
        .withMessageContaining("at byte 16: expected checksum")
        .withMessageContaining("at byte %d: expected checksum", records.get(1).offset())
        .withMessageNotContaining("killed before");
    assertThatIOException().isThrownBy(() -> LogRecovery.recover(journal, true));
    assertThat(journal).exists();
  }
}

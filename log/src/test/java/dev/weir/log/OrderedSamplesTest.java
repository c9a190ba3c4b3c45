package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.OrderedSamples.Order;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalReader;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderedSamplesTest {

  private static final Path EPOCHS = Path.of("src/test/resources/dev/weir/log/inspect/epochs.eval");

  @TempDir Path directory;

  private static List<String> read(Path log, Order order, long most) throws IOException {
    List<String> read = new ArrayList<>();
    try (var samples = OrderedSamples.open(log, _ -> true, order, most)) {
      for (var next = samples.next(); next.isPresent(); next = samples.next()) {
        read.add(next.get().id() + "#" + next.get().epoch());
      }
    }
    return read;
  }

  /** Appends samples in the order in which they finish; the dataset has a, 7, c. */
  private Path journal() throws Exception {
    try (var log =
        RunLog.begin(Time.system(), directory, LogFixtures.start("order"), JournalListener.NONE)) {
      log.append(LogFixtures.sample("c", "?", 1));
      log.append(LogFixtures.cancelled("?", 1));
      log.append(LogFixtures.sample("7", "?", 1));
      return log.file();
    }
  }

  @Test
  void aJournalIsReadInTheOrderOfTheDatasetOrFailuresFirst() throws Exception {
    Path journal = journal();
    assertThat(read(journal, Order.DATASET, 9)).containsExactly("a#1", "7#1", "c#1");
    assertThat(read(journal, Order.FAILURES_FIRST, 9)).containsExactly("a#1", "7#1", "c#1");
    assertThat(read(journal, Order.DATASET, 2)).containsExactly("a#1", "7#1");
  }

  @Test
  void aJsonLogHasTheSameSamplesAsTheEvalFileOfTheRun() throws Exception {
    Path json = directory.resolve("epochs.json");
    LogFiles.toJson(EPOCHS, json);
    assertThat(read(EPOCHS, Order.DATASET, 99))
        .containsExactly("1#1", "1#2", "1#3", "a/b#1", "a/b#2", "a/b#3");
    for (Order order : Order.values()) {
      assertThat(read(json, order, 99))
          .containsExactlyInAnyOrderElementsOf(read(EPOCHS, order, 99));
    }
    assertThat(verdicts(json)).isSorted().isEqualTo(verdicts(EPOCHS));
    assertThat(read(json, Order.DATASET, 2)).containsExactly("1#1", "1#2");
  }

  private static List<SampleVerdict> verdicts(Path log) throws IOException {
    List<SampleVerdict> verdicts = new ArrayList<>();
    try (var samples = OrderedSamples.open(log, _ -> true, Order.FAILURES_FIRST, 99)) {
      for (var next = samples.next(); next.isPresent(); next = samples.next()) {
        verdicts.add(SampleVerdict.of(next.get()));
      }
    }
    return verdicts;
  }

  @Test
  void aDamagedSampleIsReportedAndTheOthersAreRead() throws Exception {
    Path journal = journal();
    byte[] bytes = Files.readAllBytes(journal);
    try (var reader = JournalReader.open(journal)) {
      bytes[(int) reader.last(2).orElseThrow().offset() + 300] ^= 1;
    }
    Files.write(journal, bytes);
    try (var samples = OrderedSamples.open(journal, _ -> true, Order.DATASET, 9)) {
      List<String> read = new ArrayList<>();
      for (var next = samples.next(); next.isPresent(); next = samples.next()) {
        read.add(next.get().id());
      }
      assertThat(read).containsExactly("a", "c");
      assertThat(samples.damage())
          .isNotEmpty()
          .allSatisfy(it -> assertThat(it).contains("checksum"));
    }
  }
}

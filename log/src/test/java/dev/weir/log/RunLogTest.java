package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RunLogTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  private RunLog begin(String task) throws IOException {
    return RunLog.begin(Time.system(), directory, LogFixtures.start(task), JournalListener.NONE);
  }

  @Test
  void whatWasWrittenIsReadAgain() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    SampleResult second = LogFixtures.sample("another", 2);
    try (var log = begin("capitals")) {
      assertThat(log.file()).hasFileName("2026-11-15T10-11-12_capitals_k3.journal");
      log.append(LogFixtures.sample("Naïve \"question\"\n?"));
      log.append(second);
      log.end(LogFixtures.result(start));
      Path finished = log.finish(LogFixtures.NOTHING_LOST);
      assertThat(finished).hasFileName("2026-11-15T10-11-12_capitals_k3.eval");
      assertThat(directory).isDirectoryNotContaining("glob:**.journal");
      try (var reader = RunLogReader.open(finished)) {
        assertThat(reader.start()).isEqualTo(start);
        assertThat(reader.sample()).contains(LogFixtures.sample("Naïve \"question\"\n?"));
        assertThat(reader.sample()).contains(second);
        assertThat(reader.sample()).isEmpty();
        assertThat(reader.end()).contains(LogFixtures.result(start));
        assertThat(reader.sample("a", 2)).contains(second);
        assertThat(reader.summaries())
            .containsExactly(
                SampleSummary.of(LogFixtures.sample("Naïve \"question\"\n?")),
                SampleSummary.of(second));
      }
    }
  }

  @Test
  void onlySamplesThatAreAskedForAreRead() throws IOException {
    SampleResult sample = LogFixtures.sample("a question");
    try (var log = begin("capitals")) {
      log.append(sample);
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
      log.settle();
      requireOnly(log.file(), sample);
      requireOnly(log.finish(LogFixtures.NOTHING_LOST), sample);
    }
  }

  private static void requireOnly(Path log, SampleResult sample) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      reader.only(Set.of("another", sample.id()));
      assertThat(reader.sample()).contains(sample);
      assertThat(reader.sample()).isEmpty();
    }
    try (var reader = RunLogReader.open(log)) {
      reader.only(Set.of("another"));
      assertThat(reader.sample()).isEmpty();
    }
  }

  /** Whoever ends a run waits for thousands of samples at once. */
  @Test
  void inAHurrySamplesStayAsTheyAreAndTheLogIsWhole() throws IOException {
    List<SampleResult> samples =
        List.of(
            LogFixtures.sample("before", 1),
            LogFixtures.sample("Naïve \"question\"\n?", 2),
            LogFixtures.cancelled("after", 3),
            LogFixtures.sample("large ".repeat(5_000), 4));
    RunStart start = LogFixtures.start("capitals");
    try (var log = begin("capitals")) {
      log.append(samples.getFirst());
      log.hurry();
      for (SampleResult sample : samples.subList(1, 4)) {
        log.append(sample);
      }
      log.end(LogFixtures.result(start));
      log.settle();
      assertThat(areDeflated(log.file())).containsExactly(true, false, false, true);
      Path finished = log.finish(LogFixtures.NOTHING_LOST);
      try (var reader = RunLogReader.open(finished)) {
        for (SampleResult sample : samples) {
          assertThat(reader.sample()).contains(sample);
        }
        assertThat(reader.sample()).isEmpty();
        assertThat(reader.summaries())
            .containsExactlyElementsOf(samples.stream().map(SampleSummary::of).toList());
      }
      // Which checks sizes and checksums.
      try (var members = new ZipInputStream(Files.newInputStream(finished))) {
        List<byte[]> read = new ArrayList<>();
        for (var member = members.getNextEntry(); member != null; member = members.getNextEntry()) {
          if (member.getName().startsWith("samples/")) {
            read.add(members.readAllBytes());
          }
        }
        assertThat(read)
            .containsExactlyElementsOf(
                samples.stream()
                    .map(sample -> InspectSampleWriter.whole(sample, SampleIds.NONE).json())
                    .toList());
      }
    }
  }

  private static List<Boolean> areDeflated(Path journal) throws IOException {
    List<Boolean> areDeflated = new ArrayList<>();
    try (var reader = JournalReader.open(journal)) {
      Cursor<JournalRecord> records = reader.records();
      for (JournalRecord next = records.next(); next != null; next = records.next()) {
        if (next.type() == LogRecords.SAMPLE) {
          areDeflated.add(next.isDeflated());
        }
      }
    }
    return areDeflated;
  }

  @Test
  void aCancelledSampleIsNotWaitedForButWritten() throws Exception {
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          var start = LogFixtures.start("capitals");
          try (var log = RunLog.begin(time, directory, start, JournalListener.NONE)) {
            long began = time.nanos();
            log.append(LogFixtures.cancelled("first", 1));
            assertThat(time.nanos()).isEqualTo(began);
            log.append(LogFixtures.sample("second", 2));
            assertThat(time.nanos()).isGreaterThan(began);
          }
        });
    try (var reader =
        RunLogReader.open(directory.resolve("2026-11-15T10-11-12_capitals_k3.journal"))) {
      assertThat(reader.sample()).contains(LogFixtures.cancelled("first", 1));
      assertThat(reader.sample()).contains(LogFixtures.sample("second", 2));
    }
  }

  @Test
  void aJournalIsReadLikeTheLogThatItBecomes() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path journal;
    try (var log = begin("capitals")) {
      journal = log.file();
      log.append(LogFixtures.sample("first"));
      log.append(LogFixtures.sample("first, again"));
      try (var reader = RunLogReader.open(log.file())) {
        assertThat(reader.end()).isEmpty();
        // The last of those that were run twice.
        assertThat(reader.summaries())
            .containsExactly(SampleSummary.of(LogFixtures.sample("first, again")));
      }
      log.end(LogFixtures.result(start));
    }
    try (var reader = RunLogReader.open(journal)) {
      assertThat(reader.start()).isEqualTo(start);
      assertThat(reader.sample()).contains(LogFixtures.sample("first"));
      assertThat(reader.sample("a", 1)).contains(LogFixtures.sample("first, again"));
      assertThat(reader.end()).contains(LogFixtures.result(start));
      assertThat(reader.damage()).isEmpty();
    }
  }

  @Test
  void aJournalThatIsCutOffIsReadUpToThere() throws IOException {
    Path file;
    try (var log = begin("capitals")) {
      file = log.file();
      log.append(LogFixtures.sample("first"));
    }
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 10));
    try (var reader = RunLogReader.open(file)) {
      assertThat(reader.sample()).contains(LogFixtures.sample("first"));
      assertThat(reader.sample()).isEmpty();
      assertThat(reader.end()).isEmpty();
      assertThat(reader.damage()).singleElement().asString().contains("torn tail");
    }
    Path eval = LogFiles.convert(file);
    try (var reader = RunLogReader.open(eval)) {
      RunResult counted = reader.end().orElseThrow();
      assertThat(counted.status()).isEqualTo(RunResult.Status.ERROR);
      assertThat(counted.error()).contains(LogRecovery.KILLED);
      assertThat(counted.samples()).isEqualTo(new RunResult.Counts(3, 1, 0, 2));
      assertThat(counted.metrics()).containsEntry("accuracy", 1.0);
      assertThat(reader.sample()).contains(LogFixtures.sample("first"));
    }
  }

  @Test
  void whoIsCancelledWhileTheLogIsMadeHasItMadeAllTheSame() throws IOException {
    try (var log = begin("capitals")) {
      log.append(LogFixtures.sample("first"));
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
      Thread.currentThread().interrupt();
      Path finished = log.finish(LogFixtures.NOTHING_LOST);
      assertThat(Thread.interrupted()).as("others may see it, too").isTrue();
      try (var reader = RunLogReader.open(finished)) {
        assertThat(finished).hasFileName("2026-11-15T10-11-12_capitals_k3.eval");
        assertThat(reader.sample()).contains(LogFixtures.sample("first"));
      }
    }
  }

  @Test
  void nobodyElseMakesALogOfAJournalThatIsAboutToBecomeOne() throws IOException {
    try (var log = begin("capitals")) {
      log.append(LogFixtures.sample("first"));
      log.settle();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> LogFiles.convert(log.file()))
          .withMessageContaining("the run has not ended");
      assertThat(log.finish(LogFixtures.NOTHING_LOST)).exists();
      assertThat(log.file()).doesNotExist();
      assertThat(directory).isDirectoryNotContaining("glob:**.lock");
    }
  }

  @Test
  void aLogThatCannotBeMadeLeavesTheJournalToOthers() throws IOException {
    try (var log = begin("capitals")) {
      log.append(LogFixtures.sample("first"));
      Path inTheWay = Files.createDirectory(LogFiles.eval(log.file()));
      Files.writeString(inTheWay.resolve("x"), "x");
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> log.finish(LogFixtures.NOTHING_LOST));
      Files.delete(inTheWay.resolve("x"));
      Files.delete(inTheWay);
      assertThat(LogFiles.convert(log.file())).exists();
    }
  }

  @Test
  void aJournalThatWasDamagedWhileItWasWrittenIsKept() throws IOException {
    List<String> told = new ArrayList<>();
    Path eval;
    Path journal;
    try (var log = begin("capitals")) {
      journal = log.file();
      log.append(LogFixtures.sample("first", 1));
      long end = Files.size(journal);
      log.append(LogFixtures.sample("second", 2));
      log.append(LogFixtures.sample("third", 3));
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
      try (var file = FileChannel.open(journal, StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), end + 300);
      }
      eval = log.finish(told::add);
    }
    Path kept = journal.resolveSibling(journal.getFileName() + ".damaged");
    assertThat(told)
        .singleElement()
        .asString()
        .startsWith(eval + " lacks what is damaged in the journal, which is kept as " + kept)
        .contains("expected checksum");
    assertThat(kept).exists();
    assertThat(journal).doesNotExist();
    try (var reader = RunLogReader.open(eval)) {
      assertThat(reader.sample()).contains(LogFixtures.sample("first", 1));
      assertThat(reader.sample()).contains(LogFixtures.sample("third", 3));
      assertThat(reader.sample()).isEmpty();
      assertThat(reader.end()).isPresent();
    }
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    Path other = Files.writeString(directory.resolve("other"), "{\"a\":1}\n");
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> RunLogReader.open(other));
    Path text =
        Files.writeString(directory.resolve("text.journal"), "some text that is long enough");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> RunLogReader.open(text))
        .withMessageContaining("not a journal");
  }

  @Test
  void halfACharacterDoesNotCostTheSample() throws IOException {
    try (var log = begin("capitals")) {
      log.append(LogFixtures.sample("half \ud83d"));
      try (var reader = RunLogReader.open(log.file())) {
        assertThat(reader.sample().orElseThrow().input()).isEqualTo("half ?");
      }
    }
  }

  @Test
  void theSummaryHasTheMetricsByName() {
    JsonNode summary =
        JSON.readTree(
            RunLog.summary(
                LogFixtures.result(LogFixtures.start("capitals")), Optional.of(Path.of("a.eval"))));
    assertThat(summary.get("metrics").get("accuracy").asDouble()).isEqualTo(0.5);
    assertThat(summary.get("samples").get("unfinished").asInt()).isEqualTo(1);
    assertThat(summary.get("log").asString()).isEqualTo("a.eval");
    assertThat(summary.get("status").asString()).isEqualTo("success");
  }

  @Test
  void taskNamesCannotLeaveTheDirectory() throws IOException {
    try (var log = begin("../../etc/päss wd" + "x".repeat(500))) {
      assertThat(log.file().getParent()).isEqualTo(directory);
      assertThat(log.file().getFileName().toString()).hasSizeLessThan(130);
    }
  }

  @Test
  void directoriesAreMadeAndTried() throws IOException {
    Path nested = directory.resolve("a/b");
    RunLog.prepare(nested);
    assertThat(nested).isEmptyDirectory();
    // As another process leaves it that is doing the same at this moment.
    Files.createFile(nested.resolve(".weir-probe"));
    RunLog.prepare(nested);
    assertThat(nested).isEmptyDirectory();
    Path file = Files.createFile(directory.resolve("occupied"));
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> RunLog.prepare(file));
  }

  @Test
  void samplesAreCountedExactlyOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunResult.Counts(3, 1, 1, 0))
        .withMessageContaining("`total` must be the sum");
  }

  @Test
  void nothingOfASampleIsLostOnItsWay() {
    SampleResult plain = LogFixtures.sample("a control \u0001, a \"quote\", ü and 😀\n");
    var rich =
        new SampleResult(
            "b\\1",
            3,
            "",
            LogFixtures.STARTED,
            "",
            List.of("one", "two"),
            List.of("A", "B"),
            Map.of("deep", Map.of("list", List.of(1, 2.5, true))),
            List.of(
                new LogMessage(
                    "tool", "no\tsuch", List.of(), Optional.of("7"), Optional.of("bash"), true),
                new LogMessage("user", "", List.of(), Optional.empty(), Optional.empty(), false)),
            List.of(),
            List.of(),
            List.of(),
            StateHistory.NONE,
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            Map.of(
                "f1 \"strict\"",
                new ScoreResult(
                    Double.NaN, Optional.of("x"), Optional.empty(), Map.of("parts", List.of(1)))),
            Optional.of("it broke"),
            Optional.of("it broke\n\tat Here"),
            true,
            List.of(),
            Optional.empty(),
            Long.MAX_VALUE,
            List.of(),
            new Tokens(1, 2, 3, 4, 5),
            new Cost(Optional.empty(), new BigDecimal("0.0000000125"), 2, 1),
            9,
            List.of(
                new Note(LogFixtures.STARTED, 0, "scorer", "text"),
                new Note(LogFixtures.STARTED, 1.5, "scorer", List.of())),
            new Times(1e-9, 1e9, 1.0 / 3, 0, 1, 2, 3, 4));
    for (SampleResult sample : List.of(plain, rich)) {
      byte[] json = InspectSampleWriter.whole(sample, SampleIds.NONE).json();
      assertThat(InspectSampleReader.read(LogJson.LINES.readTree(json))).isEqualTo(sample);
    }
  }
}

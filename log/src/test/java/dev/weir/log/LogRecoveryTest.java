package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.weir.log.LogRecovery.Bound;
import dev.weir.log.LogRecovery.Recovered;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalLock;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogRecoveryTest {

  @TempDir Path directory;

  private Path journal = Path.of("");
  private int endOfSecond;

  /** Closed without an end, as if it had been killed, with what that leaves behind. */
  @BeforeEach
  void kill() throws IOException {
    try (var log = begin()) {
      log.append(LogFixtures.sample("first"));
      log.append(LogFixtures.sample("second", 2));
      journal = log.file();
      endOfSecond = (int) Files.size(journal);
    }
    Files.writeString(lock(), "");
    Files.writeString(partial(), "half");
  }

  private static final Bound UNBOUNDED = new Bound(Long.MAX_VALUE, Duration.ofDays(1));

  private RunLog begin() throws IOException {
    return RunLog.begin(
        Time.system(), directory, LogFixtures.start("capitals"), JournalListener.NONE);
  }

  private Path lock() {
    return journal.resolveSibling(journal.getFileName() + ".lock");
  }

  private Path partial() {
    return journal.resolveSibling(
        "." + LogFiles.eval(journal).getFileName() + ".999999999999-1.partial");
  }

  @Test
  void whatWasFinishedBecomesALog() throws IOException {
    Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.damage()).isEmpty();
    assertThat(recovered.told()).contains("recovered 2 of 3 samples", "eval-retry");
    assertThat(directory).isDirectoryNotContaining("regex:.*(journal|lock|partial)");
    try (var log = RunLogReader.open(recovered.log().orElseThrow())) {
      assertThat(log.sample()).contains(LogFixtures.sample("first"));
      assertThat(log.sample()).contains(LogFixtures.sample("second", 2));
      RunResult end = log.end().orElseThrow();
      assertThat(end.status()).isEqualTo(RunResult.Status.ERROR);
      assertThat(end.metrics()).containsEntry("accuracy", 1.0);
      assertThat(end.samples()).isEqualTo(new RunResult.Counts(3, 2, 0, 1));
    }
  }

  @Test
  void whateverItIsCalledItIsNotContinuedByItself() throws IOException {
    Path renamed = Files.move(journal, journal.resolveSibling("my-run.journal"));
    assertThat(LogRecovery.recover(renamed, true).told())
        .contains("recovered 2 of 3 samples", "eval-retry")
        .doesNotContain("continued");
  }

  @Test
  void theScoresOfAScoringThatWasCutOffStay() throws IOException {
    Path scoring = scoring(false);
    Recovered recovered = LogRecovery.recover(scoring, true);
    assertThat(recovered.told())
        .startsWith(
            "%s: the scoring of %s was cut off; run `weir score %s …` again. The journal has the new scores of 1 samples and stays: the same scoring takes them over, and `weir log convert %s`"
                .formatted(scoring, journal, journal, scoring));
    assertThat(recovered.log()).isEmpty();
    assertThat(scoring).as("graders were paid for it").exists();
    assertThat(LogFiles.eval(scoring)).doesNotExist();
    assertThat(journal).as("the log with the answers").exists();
    List<String> told = new ArrayList<>();
    LogRecovery.recoverOwn(Time.system(), directory, UNBOUNDED, told::add);
    assertThat(scoring).exists();
    assertThat(told).singleElement().asString().contains("recovered 2 of 3 samples");
  }

  @Test
  void aScoringThatWasCutOffBeforeItsFirstScoreIsRemoved() throws IOException {
    RunStart start = LogFixtures.scoring(LogFixtures.start("capitals"), "k4", journal);
    Path scoring;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      scoring = log.file();
    }
    assertThat(LogRecovery.recover(scoring, true).told())
        .isEqualTo(
            "%s: the scoring of %s was cut off; run `weir score %s …` again"
                .formatted(scoring, journal, journal));
    assertThat(scoring).doesNotExist();
  }

  /** Ended while it wrote down what it had not reached: those samples have their old scores. */
  @Test
  void aScoringWithOldScoresOnlyIsRemoved() throws IOException {
    RunStart start =
        LogFixtures.scoring(
            LogFixtures.start("capitals"), "k4", journal, List.of("includes", "exact"));
    Path scoring;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      log.append(LogFixtures.sample("first"));
      scoring = log.file();
    }
    Recovered recovered = LogRecovery.recover(scoring, true);
    assertThat(recovered.samples()).isZero();
    assertThat(recovered.told()).doesNotContain("new scores");
    assertThat(scoring).doesNotExist();
    assertThat(journal).exists();
  }

  @Test
  void aScoringThatHadEndedIsRecovered() throws IOException {
    Path scoring = scoring(true);
    assertThat(LogRecovery.recover(scoring, true).told()).contains("recovered 1 of 3 samples");
    assertThat(LogFiles.eval(scoring)).exists();
  }

  @Test
  void aScoringIsKeptIfThereAreNoOtherAnswers() throws IOException {
    Path scoring = scoring(false);
    Files.delete(journal);
    assertThat(LogRecovery.recover(scoring, true).samples()).isEqualTo(1);
    assertThat(LogFiles.eval(scoring)).exists();
  }

  /** Of the run, killed after its first sample. */
  private Path scoring(boolean hasEnded) throws IOException {
    RunStart start = LogFixtures.scoring(LogFixtures.start("capitals"), "k4", journal);
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      log.append(LogFixtures.sample("first"));
      if (hasEnded) {
        log.end(LogFixtures.result(start));
      }
      return log.file();
    }
  }

  private static long bytesWrittenHere() {
    return LogFiles.bytesWrittenHere().values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void thatALogIsBeingWrittenShowsInItsBytes() throws IOException {
    try (var log = begin()) {
      long begun = bytesWrittenHere();
      log.append(LogFixtures.sample("first"));
      long more = bytesWrittenHere();
      assertThat(more).isGreaterThan(begun);
      String half = ".%s.1-1.partial".formatted(LogFiles.eval(log.file()).getFileName());
      Files.writeString(directory.resolve(half), "half");
      assertThat(bytesWrittenHere()).isEqualTo(more + 4);
    }
    assertThat(bytesWrittenHere()).isZero();
  }

  @Test
  void withoutCleanupNothingIsRemoved() throws IOException {
    byte[] before = Files.readAllBytes(journal);
    LogRecovery.recover(journal, false);
    assertThat(journal).hasBinaryContent(before);
    assertThat(partial()).exists();
  }

  @Test
  void whatALivingProcessWritesIsLeftAlone() throws IOException {
    Path theirs =
        journal.resolveSibling(
            ".%s.%d-1.partial"
                .formatted(LogFiles.eval(journal).getFileName(), ProcessHandle.current().pid()));
    Files.writeString(theirs, "half");
    LogRecovery.recover(journal, true);
    assertThat(theirs).exists();
  }

  @Test
  void nobodyElseMayMakeTheFileMeanwhile() throws IOException {
    try (var _ = JournalLock.take(journal)) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> LogRecovery.recover(journal, true))
          .withMessageContaining("the run has not ended");
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> LogFiles.convert(journal))
          .withMessageContaining("the run has not ended");
    }
    assertThat(journal).exists();
  }

  @Test
  void aTornEndIsCutAndTold() throws IOException {
    byte[] whole = Files.readAllBytes(journal);
    Files.write(journal, Arrays.copyOf(whole, endOfSecond - 5));
    Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.samples()).isEqualTo(1);
    assertThat(recovered.told()).contains("recovered 1 of 3 samples", "torn tail");
  }

  @Test
  void aFlippedBitCostsOneSampleAndIsTold() throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    bytes[endOfSecond - 20] ^= 1;
    Files.write(journal, bytes);
    Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.damage()).singleElement().asString().contains("expected checksum");
    try (var log = RunLogReader.open(recovered.log().orElseThrow())) {
      assertThat(log.sample()).contains(LogFixtures.sample("first"));
      assertThat(log.sample()).isEmpty();
    }
  }

  @Test
  void aJournalThatIsWrittenIsLeftAlone() throws IOException {
    try (var log = begin()) {
      assertThat(LogRecovery.killed(directory)).containsExactly(journal);
      assertThatIOException()
          .isThrownBy(() -> LogRecovery.recover(log.file(), true))
          .withMessageContaining("the run has not ended");
      assertThat(log.file()).exists();
    }
  }

  @Test
  void aRunThatWasKilledBeforeItsFirstRecordLeavesNothing() throws IOException {
    byte[] whole = Files.readAllBytes(journal);
    for (int length : List.of(0, 16, 40)) {
      Path early = Files.write(directory.resolve("early.journal"), Arrays.copyOf(whole, length));
      assertThat(LogRecovery.recover(early, true).log()).isEmpty();
      assertThat(early).doesNotExist();
    }
  }

  @Test
  void aNewRunRecoversWhatItFindsAndNeverFails() throws IOException {
    Files.writeString(directory.resolve("other.journal"), "something else entirely", UTF_8);
    List<String> told = new ArrayList<>();
    LogRecovery.recoverOwn(Time.system(), directory, UNBOUNDED, told::add);
    assertThat(told)
        .hasSize(2)
        .anyMatch(line -> line.contains("recovered 2 of 3"))
        .anyMatch(line -> line.contains("other.journal is not a journal of Weir"));
    assertThat(directory.resolve("other.journal")).exists();
    assertThat(journal).doesNotExist();
    LogRecovery.recoverOwn(Time.system(), directory.resolve("nowhere"), UNBOUNDED, told::add);
    assertThat(told).hasSize(2);
  }

  @Test
  void aLargeJournalIsOnlyToldOf() {
    List<String> told = new ArrayList<>();
    var bound = new Bound(10, Duration.ofDays(1));
    LogRecovery.recoverOwn(Time.system(), directory, bound, told::add);
    assertThat(told)
        .singleElement()
        .asString()
        .contains(journal.toString(), "weir log recover --log-dir " + directory);
    assertThat(journal).exists();
  }

  /** Recovering takes time here: whoever hears of it does. */
  @Test
  void whatDoesNotFitIntoTheTimeIsLeftAndTold() throws Exception {
    for (int i = 1; i <= 4; i++) {
      Files.copy(journal, directory.resolve("2026-01-0%dT10-00-00_more.journal".formatted(i)));
    }
    VirtualTime time = VirtualTime.seeded(1);
    List<String> told = new ArrayList<>();
    time.run(
        () ->
            LogRecovery.recoverOwn(
                time,
                directory,
                new Bound(Long.MAX_VALUE, Duration.ofSeconds(3)),
                line -> {
                  told.add(line);
                  try {
                    time.sleep(Duration.ofSeconds(2));
                  } catch (InterruptedException never) {
                    throw new AssertionError(never);
                  }
                }));
    assertThat(told).hasSize(3);
    assertThat(told.subList(0, 2)).allMatch(line -> line.contains("recovered 2 of 3"));
    assertThat(told.getLast()).contains(" and 2 other journals", "weir log recover");
    assertThat(LogRecovery.killed(directory)).hasSize(3);
  }

  @Test
  void aRunThatHadEndedIsNotToldAsKilled() throws IOException {
    Path ended;
    try (var log = begin()) {
      log.append(LogFixtures.sample("first"));
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
      ended = log.file();
    }
    Recovered recovered = LogRecovery.recover(ended, true);
    assertThat(recovered.ended()).contains(RunResult.Status.SUCCESS);
    assertThat(recovered.told())
        .contains("recovered 1 of 3 samples of a run that had ended (success)")
        .doesNotContain("killed");
    try (var log = RunLogReader.open(recovered.log().orElseThrow())) {
      assertThat(log.end().orElseThrow().status()).isEqualTo(RunResult.Status.SUCCESS);
    }
  }

  @Test
  void whereAJournalWasItsLogIsRead() throws IOException {
    LogRecovery.recover(journal, true);
    try (var log = RunLogReader.open(journal)) {
      assertThat(log.summaries()).hasSize(2);
    }
  }

  /** The journal as it was before its run had ended, beside the log of that: as synchronised. */
  private Path finishedLater(Path at) throws IOException {
    byte[] early = Files.readAllBytes(journal);
    RunStart start = LogFixtures.start("capitals");
    try (var log =
        RunLog.begin(
            Time.system(),
            Files.createDirectory(directory.resolve("there")),
            start,
            JournalListener.NONE)) {
      log.append(LogFixtures.sample("first"));
      log.append(LogFixtures.sample("second", 2));
      log.append(LogFixtures.sample("third", 3));
      log.end(LogFixtures.result(start));
      Files.move(log.finish(LogFixtures.NOTHING_LOST), at);
    }
    return Files.write(journal, early);
  }

  @Test
  void aLogThatHasMoreThanTheJournalStays() throws IOException {
    Path eval = LogFiles.eval(journal);
    finishedLater(eval);
    byte[] whole = Files.readAllBytes(eval);
    Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(eval).hasBinaryContent(whole);
    assertThat(recovered.log()).contains(eval);
    assertThat(recovered.told())
        .isEqualTo(
            "%s: the log has the 2 finished samples of %s already, and stays as it is"
                .formatted(eval, journal));
    assertThat(journal).as("nothing in it that the log lacks").doesNotExist();
  }

  @Test
  void aNewRunReplacesNoLogThatHasMore() throws IOException {
    Path eval = LogFiles.eval(journal);
    finishedLater(eval);
    byte[] whole = Files.readAllBytes(eval);
    LogRecovery.recoverOwn(Time.system(), directory, UNBOUNDED, _ -> {});
    assertThat(eval).hasBinaryContent(whole);
  }

  @Test
  void aLogOfAnotherRunStays() throws IOException {
    Path renamed = Files.move(journal, directory.resolve("run.journal"));
    Path eval = directory.resolve("run.eval");
    try (var log =
        RunLog.begin(
            Time.system(),
            directory,
            LogFixtures.retry(LogFixtures.start("capitals"), "k9", renamed),
            JournalListener.NONE)) {
      log.append(LogFixtures.sample("other"));
      Files.move(log.finish(LogFixtures.NOTHING_LOST), eval);
    }
    byte[] other = Files.readAllBytes(eval);
    Recovered recovered = LogRecovery.recover(renamed, true);
    Path beside = directory.resolve("run-recovered.eval");
    assertThat(eval).hasBinaryContent(other);
    assertThat(recovered.told())
        .startsWith(beside + ": recovered 2 of 3 samples")
        .contains(eval + " stays as it is, since it is the log of another run");
    assertThat(samples(beside)).isEqualTo(2);
    assertThat(renamed).doesNotExist();
  }

  @Test
  void aLogWithSomethingElseStaysAndSoDoesOneThatCannotBeRead() throws IOException {
    Path eval = LogFiles.eval(journal);
    Files.writeString(eval, "no log");
    Path first = LogRecovery.recover(journal, false).log().orElseThrow();
    assertThat(first.getFileName().toString()).endsWith("-recovered.eval");
    assertThat(eval).hasContent("no log");
    try (var log = begin()) {
      log.append(LogFixtures.sample("first"));
      log.append(LogFixtures.sample("third", 3));
      Files.delete(eval);
      LogFiles.toEval(log.file(), eval);
    }
    Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.log()).as("it was recovered before").contains(first);
    assertThat(recovered.told()).contains("it has samples that the journal lacks");
    assertThat(samples(eval)).isEqualTo(2);
    assertThat(samples(first)).isEqualTo(2);
  }

  @Test
  void aCopyOfWhatARunHadWhileItWentOnIsReplaced() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    try (var log = begin()) {
      log.append(LogFixtures.sample("first"));
      LogFiles.toEval(log.file(), LogFiles.eval(log.file()));
      log.append(LogFixtures.sample("second", 2));
      log.end(LogFixtures.result(start));
      Path eval = log.finish(LogFixtures.NOTHING_LOST);
      assertThat(eval).isEqualTo(LogFiles.eval(log.file()));
      assertThat(samples(eval)).isEqualTo(2);
    }
  }

  private static int samples(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      return reader.summaries().size();
    }
  }
}

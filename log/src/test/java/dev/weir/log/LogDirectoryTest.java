package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogDirectoryTest {

  @TempDir Path directory;

  private Path copy(String log, String as) throws IOException {
    Path file = directory.resolve(as);
    try (InputStream in = LogDirectoryTest.class.getResourceAsStream("inspect/" + log)) {
      Files.copy(Objects.requireNonNull(in), file);
    }
    return file;
  }

  @Test
  void theNewestComesFirstWhateverItsFormAndZone() throws IOException {
    Path second = copy("epochs.eval", "2026-11-15T10-00-00+02-00_b_1.eval");
    Path first = copy("epochs.json", "2026-11-15T09-00-00+00-00_a_1.json");
    Path third = Files.writeString(directory.resolve("2026-11-15T07-59-59_c_1.journal"), "?");
    // When it was copied or touched says nothing: its run began after the others.
    Path undated = copy("epochs.eval", "mine.eval");
    Files.setLastModifiedTime(undated, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    Path broken = Files.writeString(directory.resolve("broken.eval"), "?");
    Files.setLastModifiedTime(broken, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    for (String other :
        new String[] {
          "notes.json", "x.journal.lock", ".x.eval.7-1.partial", "readme.txt", ".hidden.eval"
        }) {
      Files.writeString(directory.resolve(other), "{}");
    }
    Files.createDirectory(directory.resolve("directory.eval"));
    assertThat(LogDirectory.logs(directory)).containsExactly(undated, first, second, third, broken);
  }

  @Test
  void whatIsKnownOfLogsOfInspect() throws IOException {
    LogEntry entry = LogDirectory.entry(copy("epochs.eval", "2026-11-15T10-00-00+02-00_b_1.eval"));
    assertThat(entry.status()).isEqualTo(LogEntry.Status.SUCCESS);
    assertThat(entry.time()).isEqualTo("2026-11-15T21:50:24Z");
    assertThat(entry.done()).contains(6L);
    assertThat(entry.total()).contains(6L);
    assertThat(entry.accuracy()).isPresent();
    LogEntry json = LogDirectory.entry(copy("epochs.json", "2026-11-15T10-00-00+02-00_b_1.json"));
    assertThat(json.accuracy()).isPresent();
    assertThat(json.total()).contains(4L);
    assertThat(LogDirectory.entry(copy("started.eval", "s.eval")).status())
        .isEqualTo(LogEntry.Status.STARTED);
    assertThat(LogDirectory.entry(copy("failed.eval", "f.eval")).status())
        .isEqualTo(LogEntry.Status.ERROR);
  }

  @Test
  void aJournalRunsUntilNobodyWritesIt() throws IOException {
    Path file;
    try (var log =
        RunLog.begin(
            Time.system(), directory, LogFixtures.start("capitals"), JournalListener.NONE)) {
      file = log.file();
      log.append(LogFixtures.sample("?"));
      LogEntry entry = LogDirectory.entry(file);
      assertThat(entry.status()).isEqualTo(LogEntry.Status.RUNNING);
      assertThat(entry.task()).isEqualTo("capitals");
      assertThat(entry.model()).isEqualTo("sim/demo");
      assertThat(entry.done()).contains(1L);
      assertThat(entry.total()).contains(3L);
    }
    assertThat(LogDirectory.entry(file).status()).isEqualTo(LogEntry.Status.KILLED);
  }

  @Test
  void samplesThatWereCancelledAreNotDone() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path file;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      file = log.file();
      log.append(LogFixtures.sample("?", 1));
      log.append(LogFixtures.cancelled("?", 2));
      log.append(LogFixtures.sample("again", 1));
      assertThat(LogDirectory.entry(file).done()).contains(1L);
    }
    assertThat(LogDirectory.entry(file).done()).contains(1L);
  }

  @Test
  void aRunThatEndedHasDoneWhatItSays() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    RunResult result = LogFixtures.result(start);
    Path file;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      file = log.file();
      log.append(LogFixtures.sample("?", 1));
      log.append(LogFixtures.cancelled("?", 2));
      log.end(result);
    }
    assertThat(LogDirectory.entry(file).done()).contains((long) result.samples().scored());
    assertThat(LogDirectory.entry(LogFiles.convert(file)).done())
        .contains((long) result.samples().scored());
  }

  @Test
  void aRunThatEndedIsNotKilledThoughItsJournalIsStillThere() throws IOException {
    Path file;
    try (var log =
        RunLog.begin(
            Time.system(), directory, LogFixtures.start("capitals"), JournalListener.NONE)) {
      file = log.file();
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
    }
    LogEntry entry = LogDirectory.entry(file);
    assertThat(entry.status()).isEqualTo(LogEntry.Status.SUCCESS);
    assertThat(entry.accuracy()).contains(0.5);
  }

  private Path killed(RunStart start, int... epochs) throws IOException {
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      for (int epoch : epochs) {
        log.append(LogFixtures.sample("?", epoch));
      }
      return log.file();
    }
  }

  @Test
  void aKilledRetryHasAlsoWhatItHadNotCopiedYet() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path first = killed(start, 1, 2);
    Path second = killed(LogFixtures.retry(start, "k2", first), 2, 3);
    assertThat(LogDirectory.entry(second).done()).contains(3L);
    Path third = killed(LogFixtures.retry(start, "k3", directory.resolve("gone.eval")), 2);
    assertThat(LogDirectory.entry(third).done()).contains(1L);
  }

  @Test
  void aLogThatAnotherWentOnWithSaysSo() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path first = killed(start, 1);
    Path second = killed(LogFixtures.retry(start, "k2", first), 1, 2);
    var continuations = new LogContinuations();
    assertThat(continuations.of(LogDirectory.entry(second))).isEmpty();
    assertThat(continuations.of(LogDirectory.entry(first))).contains(second);
    String told = LogRecovery.recover(first, true).told();
    assertThat(told)
        .endsWith(
            "recovered 1 of 3 samples of a run that was killed; it was continued by " + second);
    assertThat(LogRecovery.recover(second, true).told())
        .endsWith("; to resume it: weir eval-retry " + LogFiles.eval(second));
    var evals = new LogContinuations();
    Path newest = LogFiles.eval(second);
    assertThat(evals.of(LogDirectory.entry(newest))).isEmpty();
    assertThat(evals.of(LogDirectory.entry(LogFiles.eval(first)))).contains(newest);
  }

  @Test
  void whichLogGoesOnWithWhichIsInTheLogs() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path first = killed(start, 1);
    Path second = killed(LogFixtures.retry(start, "k2", first), 1, 2);
    Path renamed = Files.move(first, directory.resolve("first.journal"));
    Path later = Files.move(second, directory.resolve("second.journal"));
    // As after a copy of the directory, in any order.
    Files.setLastModifiedTime(later, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    Path copy = directory.resolve("copy.eval");
    LogFiles.toEval(renamed, copy);

    assertThat(LogDirectory.logs(directory)).startsWith(later);
    assertThat(LogDirectory.continuedBy(renamed, directory).orElseThrow().file()).isEqualTo(later);
    assertThat(LogDirectory.continuedBy(later, directory)).isEmpty();
    Map<Path, Path> continued = new HashMap<>();
    var continuations = new LogContinuations();
    for (Path log : LogDirectory.logs(directory)) {
      continuations.of(LogDirectory.entry(log)).ifPresent(by -> continued.put(log, by));
    }
    assertThat(continued).containsOnly(Map.entry(renamed, later), Map.entry(copy, later));
  }

  /** Journals tell when they began to the nanosecond, other forms do not. */
  @Test
  void aCopyGoesOnWithNothing() throws IOException {
    Instant began = Instant.parse("2026-11-15T10:11:12.123456789Z");
    RunStart start =
        LogFixtures.begun(LogFixtures.start("capitals"), "k3", began, Optional.empty());
    Path run = killed(start, 1);
    Path copy = directory.resolve("copy.eval");
    LogFiles.toEval(run, copy);
    Path json = directory.resolve("2026-11-15T10-11-12_copy.json");
    LogFiles.toJson(copy, json);
    var continuations = new LogContinuations();
    for (Path log : LogDirectory.logs(directory)) {
      assertThat(LogDirectory.continuedBy(log, directory)).isEmpty();
      assertThat(continuations.of(LogDirectory.entry(log))).isEmpty();
    }
    assertThat(LogRecovery.recover(run, true).told()).doesNotContain("continued");
  }

  @Test
  void aCopyOfARunThatGoesOnTellsWhatIsFinished() throws IOException {
    Path copy = directory.resolve("copy.eval");
    try (var log =
        RunLog.begin(
            Time.system(), directory, LogFixtures.start("capitals"), JournalListener.NONE)) {
      log.append(LogFixtures.sample("?", 1));
      log.append(LogFixtures.cancelled("?", 2));
      LogFiles.toEval(log.file(), copy);
    }
    LogEntry entry = LogDirectory.entry(copy);
    assertThat(entry.status()).isEqualTo(LogEntry.Status.STARTED);
    assertThat(entry.done()).contains(1L);
    assertThat(entry.total()).contains(3L);
  }

  @Test
  void aScoringGoesOnWithNothing() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path run = killed(start, 1);
    RunStart scoring = LogFixtures.scoring(start, "k2", run);
    Path ended;
    try (var log = RunLog.begin(Time.system(), directory, scoring, JournalListener.NONE)) {
      log.end(LogFixtures.result(scoring));
      ended = log.finish(LogFixtures.NOTHING_LOST);
    }
    Path cutOff = killed(LogFixtures.scoring(start, "k4", run), 1);
    var continuations = new LogContinuations();
    for (Path log : List.of(cutOff, ended, run)) {
      assertThat(continuations.of(LogDirectory.entry(log))).isEmpty();
    }
    assertThat(LogDirectory.entry(ended).scoringOf()).contains(run.toString());
    assertThat(LogDirectory.entry(cutOff).scoringOf()).contains(run.toString());
    assertThat(LogRecovery.recover(run, true).told())
        .endsWith("; to resume it: weir eval-retry " + LogFiles.eval(run));
  }

  @Test
  void aRunThatSucceededIsNotSaidToBeContinued() throws IOException {
    RunStart start = LogFixtures.start("capitals");
    Path first;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      log.end(LogFixtures.result(start));
      first = log.finish(LogFixtures.NOTHING_LOST);
    }
    Path second = killed(LogFixtures.retry(start, "k2", first), 1);
    var continuations = new LogContinuations();
    assertThat(continuations.of(LogDirectory.entry(second))).isEmpty();
    assertThat(continuations.of(LogDirectory.entry(first))).isEmpty();
  }

  @Test
  void whatCannotBeReadIsListedWithTheReason() throws IOException {
    Path broken = Files.writeString(directory.resolve("broken.eval"), "no log");
    LogEntry entry = LogDirectory.entry(broken);
    assertThat(entry.status()).isEqualTo(LogEntry.Status.UNREADABLE);
    assertThat(entry.problem().orElseThrow()).contains("broken.eval");
    assertThat(LogDirectory.entry(directory.resolve("gone.eval")).problem())
        .isEqualTo(Optional.of(directory.resolve("gone.eval") + " is not there"));
  }
}

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
    Path undated = copy("epochs.eval", "mine.eval");
    Files.setLastModifiedTime(undated, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    for (String other :
        new String[] {
          "notes.json", "x.journal.lock", ".x.eval.7-1.partial", "readme.txt", ".hidden.eval"
        }) {
      Files.writeString(directory.resolve(other), "{}");
    }
    Files.createDirectory(directory.resolve("directory.eval"));
    assertThat(LogDirectory.logs(directory)).containsExactly(first, second, third, undated);
  }

  @Test
  void whatIsKnownOfLogsOfInspect() throws IOException {
    LogEntry entry = LogDirectory.entry(copy("epochs.eval", "2026-11-15T10-00-00+02-00_b_1.eval"));
    assertThat(entry.status()).isEqualTo(LogEntry.Status.SUCCESS);
    assertThat(entry.time()).isEqualTo("2026-11-15T08:00:00Z");
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

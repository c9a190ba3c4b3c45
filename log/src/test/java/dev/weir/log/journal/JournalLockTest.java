package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.time.Time;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who writes a journal is known to this process and to others. */
@Timeout(120)
class JournalLockTest {

  @TempDir private Path directory;

  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("run.weir");
  }

  private static Journal create(Path file) throws Exception {
    return Journal.create(file, Time.system(), JournalOptions.defaults());
  }

  @Test
  void aSecondWriterInThisProcessIsRefused() throws Exception {
    try (var journal = create(file)) {
      Row.of(1).appendTo(journal);
      assertThatExceptionOfType(JournalLockedException.class)
          .isThrownBy(() -> create(file))
          .withMessage(file + " is being written by this process already");
      Path sameByAnotherName = directory.resolve("x/../run.weir");
      Files.createDirectory(directory.resolve("x"));
      assertThatExceptionOfType(JournalLockedException.class)
          .isThrownBy(() -> create(sameByAnotherName));
    }
    assertThat(Row.readAll(file).rows()).containsExactly(Row.of(1));
  }

  @Test
  void anotherProcessSeesTheLockAlsoAfterThisOneHasReadTheJournal() throws Exception {
    try (var journal = create(file)) {
      Row.of(1).appendTo(journal);
      assertThat(Row.readAll(file).rows()).hasSize(1);
      assertThat(JournalReader.isBeingWritten(file)).isTrue();
      assertThat(JournalReader.writtenHere()).contains(file.toRealPath());
      assertThat(Files.readAllBytes(file)).isNotEmpty();
      assertThat(inAnotherProcess("look")).isEqualTo("written");
      assertThat(inAnotherProcess("create"))
          .isEqualTo(file + " is being written by another process");
    }
    assertThat(inAnotherProcess("look")).isEqualTo("free");
    assertThat(JournalReader.writtenHere()).doesNotContain(file.toRealPath());
  }

  @Test
  void aKilledWriterLeavesNoLockAndWhatItHadAcknowledged() throws Exception {
    Process writer = start("write");
    try (BufferedReader said = writer.inputReader(StandardCharsets.UTF_8)) {
      assertThat(said.readLine()).isEqualTo("durable");
      assertThat(JournalReader.isBeingWritten(file)).isTrue();
      assertThatExceptionOfType(JournalLockedException.class)
          .isThrownBy(() -> create(file))
          .withMessage(file + " is being written by another process");
      writer.destroyForcibly().waitFor();
    }
    assertThat(JournalReader.isBeingWritten(file)).isFalse();
    assertThat(Row.readAll(file).rows()).startsWith(Row.of(0), Row.of(1), Row.of(2));
    assertThat(Row.entries(file).keys()).isEqualTo(Row.scanned(file));
  }

  @Test
  void noTwoProcessesHaveItAtOnceHoweverOftenItIsReleased() throws Exception {
    List<Process> processes = List.of(start("contend"), start("contend"), start("contend"));
    for (Process process : processes) {
      try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
        assertThat(said.readLine()).isEqualTo("always alone");
      }
    }
    assertThat(directory).isEmptyDirectory();
  }

  /** Java can only find out by locking the file itself for an instant. */
  @Test
  void whoLooksWhetherItIsWrittenKeepsNobodyFromIt() throws Exception {
    Process looking = start("keep looking");
    try (BufferedReader said = looking.inputReader(StandardCharsets.UTF_8)) {
      assertThat(said.readLine()).isEqualTo("looking");
      for (int i = 0; i < 10_000; i++) {
        JournalLock.take(file).close();
      }
      assertThat(looking.isAlive()).isTrue();
    } finally {
      looking.destroyForcibly().waitFor();
    }
  }

  @Test
  void aLockThatAnotherProcessTookWhenItsFileWasGoneIsNotDeleted() throws Exception {
    Path lockFile = directory.resolve("run.weir.lock");
    var lock = JournalLock.take(file);
    Files.delete(lockFile);
    Files.createFile(lockFile);
    lock.close();
    assertThat(lockFile).exists();
  }

  private String inAnotherProcess(String command) throws Exception {
    Process process = start(command);
    try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
      String line = said.readLine();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return line == null ? "nothing" : line;
    }
  }

  private Process start(String command) throws Exception {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                command,
                file.toString()))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** What the other process does. */
  static final class OtherProcess {

    private OtherProcess() {}

    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(arguments[1]);
      switch (arguments[0]) {
        case "look" -> System.out.println(JournalReader.isBeingWritten(file) ? "written" : "free");
        case "keep looking" -> {
          System.out.println("looking");
          while (true) {
            boolean _ = JournalReader.isBeingWritten(file);
          }
        }
        case "create" -> {
          try (var journal = JournalLockTest.create(file)) {
            System.out.println("created " + journal.file());
          } catch (JournalLockedException locked) {
            System.out.println(locked.getMessage());
          }
        }
        case "contend" -> System.out.println(contend(file) ? "always alone" : "two at once");
        default -> {
          var journal = JournalLockTest.create(file);
          for (int i = 0; ; i++) {
            Row.of(i).appendTo(journal);
            if (i == 2) {
              System.out.println("durable");
              System.out.flush();
            }
          }
        }
      }
    }

    private static boolean contend(Path file) throws Exception {
      Path inside = file.resolveSibling("inside");
      for (int taken = 0; taken < 2_000; ) {
        try (var _ = JournalLock.take(file)) {
          taken++;
          Files.createFile(inside);
          Files.delete(inside);
        } catch (JournalLockedException held) {
          // Once more.
        } catch (FileAlreadyExistsException another) {
          return false;
        }
      }
      return true;
    }
  }
}

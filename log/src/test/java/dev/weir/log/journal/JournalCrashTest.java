package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machine stops at every byte and at every operation; what was acknowledged is there. */
class JournalCrashTest {

  private static final int APPENDERS = 3;
  private static final int EACH = 4;

  @TempDir private Path directory;

  /** What appenders were told is durable when the machine stopped. */
  private List<Row> acknowledgedUntilCrash(FaultyFile disk, Path file) throws Exception {
    var time = VirtualTime.seeded(5);
    List<Row> acknowledged = new ArrayList<>();
    time.run(
        () -> {
          Journal journal;
          try {
            var options = JournalOptions.defaults().withIndexEvery(5);
            journal = Row.on(disk, file, time, options);
          } catch (IOException crashedAtOnce) {
            return;
          }
          List<Task<?>> tasks = new ArrayList<>();
          for (int appender = 0; appender < APPENDERS; appender++) {
            int first = appender * EACH;
            tasks.add(time.start("appender", () -> append(journal, time, first, acknowledged)));
          }
          time.sleep(Duration.ofSeconds(5));
          journal.giveUp("crashed");
          for (Task<?> task : tasks) {
            task.join();
          }
          try {
            journal.close();
          } catch (JournalEndedException lost) {
            assertThat(lost.recordsOnDisk()).isEqualTo(acknowledged.size());
          }
        });
    return acknowledged;
  }

  private static void append(Journal journal, VirtualTime time, int first, List<Row> acknowledged)
      throws Exception {
    for (int i = first; i < first + EACH; i++) {
      try {
        time.sleep(Duration.ofMillis(i));
        Row.of(i).appendTo(journal);
        acknowledged.add(Row.of(i));
      } catch (JournalEndedException crashed) {
        return;
      }
    }
  }

  private static List<Row> all() {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < APPENDERS * EACH; i++) {
      rows.add(Row.of(i));
    }
    return rows;
  }

  private static void check(Path file, FaultyFile disk, byte[] content, List<Row> acknowledged)
      throws IOException {
    Files.write(file, content);
    if (disk.forces == 0) {
      checkBeginning(file, acknowledged);
      return;
    }
    assertThat(Row.readAll(file).rows())
        .containsAll(acknowledged)
        .isSubsetOf(all())
        .doesNotHaveDuplicates();
    assertThat(Row.entries(file).keys()).containsAll(Row.scanned(file)).doesNotHaveDuplicates();
  }

  /** Before the header is durable there is no journal: none was ever given to anybody. */
  private static void checkBeginning(Path file, List<Row> acknowledged) throws IOException {
    assertThat(acknowledged).isEmpty();
    try {
      assertThat(Row.readAll(file).rows()).isEmpty();
    } catch (JournalFormatException zeros) {
      assertThat(zeros).hasMessageContaining("is not a journal of Weir");
    }
  }

  @Test
  void afterEachByte() throws Exception {
    var undisturbed = new FaultyFile();
    assertThat(acknowledgedUntilCrash(undisturbed, directory.resolve("whole")))
        .containsExactlyInAnyOrderElementsOf(all());
    for (int bytes = 1; bytes < undisturbed.content().length; bytes++) {
      var disk = new FaultyFile();
      disk.crashAfterBytes = bytes;
      Path file = directory.resolve("after-" + bytes);
      List<Row> acknowledged = acknowledgedUntilCrash(disk, file);
      assertThat(disk.content()).hasSize(bytes);
      check(file, disk, disk.content(), acknowledged);
      check(file, disk, disk.contentAfterPowerLoss(new Random(bytes)), acknowledged);
      assertThat(disk.isClosed).isTrue();
    }
  }

  @Test
  void beforeEachOperation() throws Exception {
    var undisturbed = new FaultyFile();
    undisturbed.mostAtOnce = 100;
    acknowledgedUntilCrash(undisturbed, directory.resolve("whole"));
    for (int operation = 0; operation < undisturbed.operations(); operation++) {
      var disk = new FaultyFile();
      disk.mostAtOnce = 100;
      disk.crashBeforeOperation = operation;
      Path file = directory.resolve("before-" + operation);
      List<Row> acknowledged = acknowledgedUntilCrash(disk, file);
      check(file, disk, disk.content(), acknowledged);
      for (int seed = 0; seed < 5; seed++) {
        check(file, disk, disk.contentAfterPowerLoss(new Random(seed)), acknowledged);
      }
    }
  }
}

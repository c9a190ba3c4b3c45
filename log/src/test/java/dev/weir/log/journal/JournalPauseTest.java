package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are full, broken or gone for a while, or for good. */
class JournalPauseTest {

  @TempDir private Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final FaultyFile disk = new FaultyFile();
  private final List<String> told = new ArrayList<>();
  private Path file;
  private JournalOptions options;

  @BeforeEach
  void prepare() {
    file = directory.resolve("run.weir");
    options =
        JournalOptions.defaults()
            .withListener(
                new JournalListener() {
                  @Override
                  public void paused(String why, long bytesHeld) {
                    told.add("paused: " + why + " (" + (bytesHeld > 0 ? "held" : "none") + ")");
                  }

                  @Override
                  public void resumed() {
                    told.add("resumed");
                  }

                  @Override
                  public void abandoned(String why) {
                    told.add("abandoned: " + why);
                  }
                });
  }

  private List<Row> onDisk() throws Exception {
    disk.saveTo(file);
    return Row.readAll(file).rows();
  }

  @Test
  void aFullDiskPausesTheJournalUntilThereIsRoom() throws Exception {
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options)) {
            Row.of(1).appendTo(journal);
            disk.capacity = journal.durableBytes() + 20;
            Task<?> appender = time.start("sample", () -> Row.of(2).appendTo(journal));
            time.sleep(Duration.ofSeconds(30));
            assertThat(appender.isDone()).isFalse();
            assertThat(journal.durableRecords()).isEqualTo(1);
            Row.of(3).appendLaterTo(journal);
            disk.capacity = Long.MAX_VALUE;
            long began = time.nanos();
            appender.join();
            assertThat(Duration.ofNanos(time.nanos() - began))
                .isLessThanOrEqualTo(Duration.ofSeconds(1));
          }
        });
    assertThat(told)
        .containsExactly(
            "paused: " + file + " cannot be written: No space left on device (held)", "resumed");
    assertThat(onDisk()).containsExactly(Row.of(1), Row.of(2), Row.of(3));
    assertThat(Row.readAll(file).damage().isEmpty()).isTrue();
  }

  @Test
  void afterAFailedForceEverythingSinceTheLastOneIsWrittenAgain() throws Exception {
    disk.losesUnforcedWhenForceFails = true;
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options)) {
            Row.of(1).appendTo(journal);
            disk.forcesToFail = 3;
            Row.of(2).appendTo(journal);
            assertThat(time.nanos()).isGreaterThan(Duration.ofSeconds(3).toNanos());
          }
        });
    assertThat(disk.truncations).isEqualTo(3);
    assertThat(onDisk()).containsExactly(Row.of(1), Row.of(2));
    assertThat(Row.readAll(file).damage().isEmpty()).isTrue();
  }

  @Test
  void shortWritesAreContinued() throws Exception {
    disk.mostAtOnce = 7;
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options)) {
            for (int i = 0; i < 5; i++) {
              Row.of(i).appendTo(journal);
            }
          }
        });
    assertThat(onDisk()).hasSize(5);
    assertThat(told).isEmpty();
  }

  @Test
  void beyondTheBoundAppendersWait() throws Exception {
    byte[] body = new byte[300];
    new Random(1).nextBytes(body);
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options.withMaxHeldBytes(1_000))) {
            disk.capacity = 0;
            for (int i = 0; i < 2; i++) {
              journal.appendLater(1, new byte[0], body);
            }
            List<Task<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
              waiting.add(time.start("sample", () -> journal.appendLater(1, new byte[0], body)));
            }
            time.sleep(Duration.ofMinutes(1));
            assertThat(waiting.stream().filter(Task::isDone)).hasSize(0);
            disk.capacity = Long.MAX_VALUE;
            for (Task<?> task : waiting) {
              task.join();
            }
          }
        });
    assertThat(onDisk()).hasSize(7);
  }

  @Test
  void aRecordLargerThanTheBoundIsWrittenAlone() throws Exception {
    byte[] body = new byte[3_000];
    new Random(1).nextBytes(body);
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options.withMaxHeldBytes(1_000))) {
            Row.of(1).appendLaterTo(journal);
            journal.append(1, new byte[0], body);
          }
        });
    assertThat(onDisk()).hasSize(2);
  }

  @Test
  void givingUpSaysWhatIsOnDiskAndWhatIsNot() throws Exception {
    time.run(
        () -> {
          var journal = Row.on(disk, file, time, options.withMaxHeldBytes(200));
          Row.of(1).appendTo(journal);
          Row.of(2).appendTo(journal);
          long durable = journal.durableBytes();
          disk.capacity = durable + 10;
          List<Task<Boolean>> appenders = new ArrayList<>();
          for (int i = 0; i < 6; i++) {
            Row row = Row.of(i);
            appenders.add(
                time.start(
                    "sample",
                    () -> {
                      assertThatExceptionOfType(JournalEndedException.class)
                          .isThrownBy(() -> row.appendTo(journal))
                          .satisfies(
                              ended -> {
                                assertThat(ended.recordsOnDisk()).isEqualTo(2);
                                assertThat(ended.bytesOnDisk()).isEqualTo(durable);
                                assertThat(ended.recordsLost()).isEqualTo(6);
                              });
                      return true;
                    }));
          }
          time.sleep(Duration.ofSeconds(10));
          journal.giveUp("the run was cancelled");
          for (Task<Boolean> task : appenders) {
            assertThat(task.join()).isTrue();
          }
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(journal::close)
              .withMessageMatching(
                  "\\Q%s\\E takes no more records: the run was cancelled \\(.* No space left on device\\)\\. On disk: 2 records, %d bytes\\. Not on disk: 6 records, \\d+ bytes"
                      .formatted(file, durable));
          assertThat(disk.content()).as("exactly that is on disk").hasSize((int) durable);
        });
    assertThat(onDisk()).containsExactly(Row.of(1), Row.of(2));
  }

  @Test
  void aDiskThatStaysFullEndsTheJournal() throws Exception {
    time.run(
        () -> {
          var journal = Row.on(disk, file, time, options);
          Row.of(1).appendTo(journal);
          disk.capacity = journal.durableBytes() + 20;
          long began = time.nanos();
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(() -> Row.of(2).appendTo(journal))
              .withMessageContaining("could not be written for 10 minutes")
              .withMessageContaining("No space left on device")
              .withMessageContaining("On disk: 1 records")
              .withMessageContaining("Not on disk: 1 records");
          assertThat(Duration.ofNanos(time.nanos() - began))
              .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(10).plusSeconds(2));
          assertThat(disk.isClosed).isTrue();
          assertThatExceptionOfType(JournalEndedException.class).isThrownBy(journal::close);
        });
    assertThat(onDisk()).containsExactly(Row.of(1));
    assertThat(told)
        .hasSize(2)
        .last()
        .asString()
        .startsWith("abandoned: it could not be written for 10 minutes (" + file);
  }

  /** Each trouble has a patience of its own. */
  @Test
  void aDiskThatIsFullNowAndThenEndsNothing() throws Exception {
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options)) {
            for (int i = 1; i <= 3; i++) {
              disk.capacity = journal.durableBytes();
              int row = i;
              Task<?> appender = time.start("sample", () -> Row.of(row).appendTo(journal));
              time.sleep(Duration.ofMinutes(9));
              disk.capacity = Long.MAX_VALUE;
              appender.join();
            }
          }
        });
    assertThat(onDisk()).containsExactly(Row.of(1), Row.of(2), Row.of(3));
  }

  @Test
  void inAHurryNobodyWaitsForADiskLong() throws Exception {
    time.run(
        () -> {
          var journal = Row.on(disk, file, time, options.withMaxHeldBytes(100));
          Row.of(1).appendTo(journal);
          disk.capacity = journal.durableBytes();
          List<Task<?>> appenders = new ArrayList<>();
          for (int i = 2; i <= 6; i++) {
            int row = i;
            appenders.add(
                time.start(
                    "sample " + i,
                    () ->
                        assertThatExceptionOfType(JournalEndedException.class)
                            .isThrownBy(() -> Row.of(row).appendAnywayTo(journal))
                            .withMessageContaining("the run was ended")));
          }
          time.sleep(Duration.ofMinutes(1));
          long began = time.nanos();
          journal.hurry();
          for (Task<?> appender : appenders) {
            appender.join();
          }
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(journal::close)
              .withMessageContaining("On disk: 1 records")
              .withMessageContaining("Not on disk: 5 records");
          assertThat(Duration.ofNanos(time.nanos() - began))
              .isLessThanOrEqualTo(Duration.ofSeconds(2));
        });
    assertThat(onDisk()).containsExactly(Row.of(1));
  }

  /** There is room again just then. */
  @Test
  void inAHurryItIsTriedOnceMore() throws Exception {
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options)) {
            disk.capacity = journal.durableBytes();
            Task<?> appender = time.start("sample", () -> Row.of(1).appendTo(journal));
            time.sleep(Duration.ofMillis(1_500));
            disk.capacity = Long.MAX_VALUE;
            long began = time.nanos();
            journal.hurry();
            appender.join();
            assertThat(Duration.ofNanos(time.nanos() - began)).isLessThan(Duration.ofMillis(100));
          }
        });
    assertThat(onDisk()).containsExactly(Row.of(1));
  }

  @Test
  void aListenerMayGiveUp() throws Exception {
    time.run(
        () -> {
          Journal[] holder = new Journal[1];
          var journal =
              Row.on(
                  disk,
                  file,
                  time,
                  options.withListener(
                      new JournalListener() {
                        @Override
                        public void paused(String why, long bytesHeld) {
                          holder[0].giveUp("no patience");
                        }

                        @Override
                        public void resumed() {}
                      }));
          holder[0] = journal;
          disk.capacity = 0;
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(() -> Row.of(1).appendTo(journal))
              .withMessageContaining("no patience");
          assertThatExceptionOfType(JournalEndedException.class).isThrownBy(journal::close);
        });
  }

  @Test
  void aListenerThatFailsCostsNoRecord() throws Exception {
    time.run(
        () -> {
          var failing =
              new JournalListener() {
                @Override
                public void paused(String why, long bytesHeld) {
                  throw new IllegalStateException("a broken display");
                }

                @Override
                public void resumed() {
                  throw new IllegalStateException("a broken display");
                }
              };
          try (var journal = Row.on(disk, file, time, options.withListener(failing))) {
            disk.forcesToFail = 1;
            Row.of(1).appendTo(journal);
          }
        });
    assertThat(onDisk()).containsExactly(Row.of(1));
  }

  @Test
  void closingGivesUpInTheEnd() throws Exception {
    time.run(
        () -> {
          var journal = Row.on(disk, file, time, options);
          disk.capacity = 0;
          Row.of(1).appendLaterTo(journal);
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(journal::close)
              .withMessageContaining("its end could not be written in 5 s")
              .withMessageContaining("No space left on device")
              .withMessageContaining("On disk: 0 records, 16 bytes. Not on disk: 1 records");
          assertThat(Duration.ofNanos(time.nanos()))
              .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(7));
          assertThat(disk.isClosed).isTrue();
          assertThat(JournalReader.isBeingWritten(file)).isFalse();
        });
  }

  @Test
  void aNewReasonIsTold() throws Exception {
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, options)) {
            disk.capacity = 0;
            Task<?> appender = time.start("sample", () -> Row.of(1).appendTo(journal));
            time.sleep(Duration.ofSeconds(5));
            disk.capacity = Long.MAX_VALUE;
            disk.isGone = true;
            time.sleep(Duration.ofSeconds(5));
            assertThat(appender.isDone()).as("it is written, but nobody could find it").isFalse();
            disk.isGone = false;
            appender.join();
          }
        });
    assertThat(told).hasSize(3);
    assertThat(told.get(1)).contains("the file is gone");
    assertThat(told.get(2)).isEqualTo("resumed");
  }

  @Test
  void aRealFileThatIsDeletedIsMadeAnew() throws Exception {
    Path logs = directory.resolve("logs");
    Path log = logs.resolve("run.weir");
    time.run(
        () -> {
          try (var journal = Journal.create(log, time, options)) {
            for (int i = 0; i < 10; i++) {
              Row.of(i).appendTo(journal);
            }
            Files.delete(log);
            Files.delete(logs.resolve("run.weir.lock"));
            Files.delete(logs);
            for (int i = 10; i < 20; i++) {
              Row.of(i).appendTo(journal);
              assertThat(Row.readAll(log).rows()).as("a durable record is there").hasSize(i + 1);
            }
            assertThat(logs.resolve("run.weir.lock")).exists();
            assertThat(JournalReader.isBeingWritten(log)).isTrue();
          }
        });
    assertThat(Row.readAll(log).rows()).hasSize(20);
    assertThat(Row.readAll(log).damage().isEmpty()).isTrue();
    assertThat(Row.entries(log).keys()).isEqualTo(Row.scanned(log));
    assertThat(told).hasSize(2);
    assertThat(told.get(0)).contains("is gone: it, or its directory, was deleted or moved");
    assertThat(told.get(1)).isEqualTo("resumed");
    try (var left = Files.list(logs)) {
      assertThat(left).containsExactly(log);
    }
  }

  @Test
  void aRealFileThatIsReplacedPausesItsJournal() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, options)) {
            Row.of(1).appendTo(journal);
            Files.delete(file);
            Files.writeString(file, "another");
            Task<?> appender = time.start("sample", () -> Row.of(2).appendTo(journal));
            time.sleep(Duration.ofSeconds(5));
            assertThat(appender.isDone()).isFalse();
            assertThat(file).hasContent("another");
            Files.move(file, directory.resolve("elsewhere"));
            appender.join();
          }
        });
    assertThat(Row.readAll(file).rows()).containsExactly(Row.of(1), Row.of(2));
    assertThat(told).hasSize(3);
    assertThat(told.get(0)).contains("is another file now");
    assertThat(told.get(1)).contains("is gone");
  }

  @Test
  void aDeletedFileThatCannotBeMadeAnewIsGivenUp() throws Exception {
    Path logs = directory.resolve("logs");
    Path log = logs.resolve("run.weir");
    time.run(
        () -> {
          var journal = Journal.create(log, time, options);
          Row.of(1).appendTo(journal);
          Files.delete(log);
          Files.delete(logs.resolve("run.weir.lock"));
          Files.delete(logs);
          Files.writeString(logs, "no directory");
          Row.of(2).appendLaterTo(journal);
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(journal::close)
              .withMessageContaining("its end could not be written in 5 s")
              .withMessageContaining("On disk: 0 records, 0 bytes. Not on disk: 2 records");
        });
  }
}

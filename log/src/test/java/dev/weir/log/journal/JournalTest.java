package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

  private static final JournalOptions OPTIONS = JournalOptions.defaults();

  @TempDir private Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("run.weir");
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    List<Row> rows =
        List.of(
            new Row(1, "start", "{\"task\":\"ü\"}"),
            new Row(2, "", ""),
            new Row(0, "k", "x".repeat(10_000)),
            new Row(Head.MAX_TYPE, "", "y"));
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS)) {
            for (Row row : rows) {
              row.appendTo(journal);
            }
            assertThat(journal.durableRecords()).isEqualTo(4);
            assertThat(journal.durableBytes()).isEqualTo(Files.size(file));
          }
        });
    assertThat(Row.readAll(file).rows()).isEqualTo(rows);
    assertThat(Row.readAll(file).damage().isEmpty()).isTrue();
    assertThat(Files.size(file)).as("the long body is compressed").isLessThan(1_000);
  }

  @Test
  void aRecordCanBeReadFromItsOffset() throws Exception {
    long offset =
        time.run(
            () -> {
              try (var journal = Journal.create(file, time, OPTIONS)) {
                Row.of(1).appendTo(journal);
                long second = Row.of(2).appendTo(journal);
                Row.of(3).appendTo(journal);
                return second;
              }
            });
    try (var reader = JournalReader.open(file)) {
      assertThat(Row.of(reader.read(offset))).isEqualTo(Row.of(2));
      assertThatExceptionOfType(JournalFormatException.class)
          .isThrownBy(() -> reader.read(offset + 1))
          .withMessageContaining(file + ": damaged: the head or key of a record at byte ");
      assertThatExceptionOfType(JournalFormatException.class)
          .isThrownBy(() -> reader.read(1L << 40))
          .withMessageContaining("no record begins at byte 1099511627776");
    }
  }

  @Test
  void manyAppendersWriteWhateverBytesTheyLike() throws Exception {
    List<Row> written = Collections.synchronizedList(new ArrayList<>());
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS.withIndexEvery(17))) {
            List<Task<?>> tasks = new ArrayList<>();
            for (int appender = 0; appender < 20; appender++) {
              var random = new Random(appender);
              tasks.add(
                  time.start(
                      "appender",
                      () -> {
                        for (int i = 0; i < 25; i++) {
                          Row row = Row.random(random);
                          if (random.nextBoolean()) {
                            row.appendTo(journal);
                          } else {
                            row.appendLaterTo(journal);
                          }
                          written.add(row);
                          time.sleep(Duration.ofMillis(random.nextInt(30)));
                        }
                      }));
            }
            for (Task<?> task : tasks) {
              task.join();
            }
          }
        });
    assertThat(Row.readAll(file).rows()).containsExactlyInAnyOrderElementsOf(written);
    assertThat(Row.readAll(file).damage().isEmpty()).isTrue();
    assertThat(Row.entries(file).keys()).isEqualTo(Row.scanned(file)).hasSize(500);
  }

  @Test
  void manyAppendersInEarnest() throws Exception {
    Time system = Time.system();
    try (var journal = Journal.create(file, system, OPTIONS.withLinger(Duration.ofMillis(1)))) {
      List<Task<?>> tasks = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        Row row = Row.of(i);
        tasks.add(system.start("appender", () -> row.appendTo(journal)));
      }
      for (Task<?> task : tasks) {
        task.join();
      }
      assertThat(journal.durableRecords()).isEqualTo(2_000);
    }
    assertThat(Row.readAll(file).rows()).hasSize(2_000).doesNotHaveDuplicates();
  }

  @Test
  void appendersShareAnFsync() throws Exception {
    var disk = new FaultyFile();
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, OPTIONS)) {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
              Row row = Row.of(i);
              Duration at = Duration.ofNanos(i * 100_000L);
              tasks.add(
                  time.start(
                      "appender",
                      () -> {
                        time.sleep(at);
                        long asked = time.nanos();
                        row.appendTo(journal);
                        assertThat(time.nanos() - asked).isLessThanOrEqualTo(10_000_000);
                      }));
            }
            for (Task<?> task : tasks) {
              task.join();
            }
          }
        });
    // One for the header, one each 10 ms of the 100, one for the index at the end.
    assertThat(disk.forces).isBetween(9, 13);
  }

  @Test
  void anAppendReturnsAfterTheForceThatCoversIt() throws Exception {
    var disk = new FaultyFile();
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, OPTIONS)) {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
              Row row = Row.of(i);
              Duration at = Duration.ofMillis(i % 37);
              tasks.add(
                  time.start(
                      "appender",
                      () -> {
                        time.sleep(at);
                        long offset = row.appendTo(journal);
                        assertThat(disk.forcedSizes.getLast()).isGreaterThan((int) offset);
                      }));
            }
            for (Task<?> task : tasks) {
              task.join();
            }
          }
        });
  }

  @Test
  void whatNobodyWaitsForIsDurableWithTheNextCommit() throws Exception {
    var disk = new FaultyFile();
    time.run(
        () -> {
          try (var journal = Row.on(disk, file, time, OPTIONS)) {
            Row.of(1).appendLaterTo(journal);
            Row.of(2).appendLaterTo(journal);
            assertThat(journal.durableRecords()).isZero();
            Row.of(3).appendTo(journal);
            assertThat(journal.durableRecords()).isEqualTo(3);
            Row.of(4).appendLaterTo(journal);
            time.sleep(Duration.ofMillis(999));
            assertThat(journal.durableRecords()).isEqualTo(3);
            time.sleep(Duration.ofMillis(2));
            assertThat(journal.durableRecords()).isEqualTo(4);
            Row.of(5).appendLaterTo(journal);
          }
        });
    disk.saveTo(file);
    assertThat(Row.readAll(file).rows())
        .containsExactly(Row.of(1), Row.of(2), Row.of(3), Row.of(4), Row.of(5));
  }

  @Test
  void aLargeBatchDoesNotLinger() throws Exception {
    time.run(
        () -> {
          var options = OPTIONS.withLinger(Duration.ofHours(1));
          try (var journal = Journal.create(file, time, options)) {
            byte[] body = new byte[2 << 20];
            new Random(1).nextBytes(body);
            journal.append(1, new byte[0], body);
            assertThat(time.nanos()).isZero();
          }
        });
  }

  @Test
  void callersMayReuseTheirArrays() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS)) {
            byte[] key = {1};
            byte[] body = {2};
            journal.appendLater(1, key, body);
            key[0] = 9;
            body[0] = 9;
          }
        });
    assertThat(Row.readAll(file).rows()).containsExactly(new Row(1, "\1", "\2"));
  }

  @Test
  void whatIsTooLargeIsRefused() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS)) {
            byte[] none = new byte[0];
            byte[] largest = new byte[64 << 10];
            journal.append(1, largest, none);
            assertThatIllegalArgumentException()
                .isThrownBy(() -> journal.append(1, new byte[(64 << 10) + 1], none))
                .withMessage("`key length` must be >= 0 and <= 65536, was 65537");
            assertThatIllegalArgumentException()
                .isThrownBy(() -> journal.append(1, none, new byte[(256 << 20) + 1]))
                .withMessageContaining("`body length` must be >= 0 and <= 268435456");
            assertThatIllegalArgumentException()
                .isThrownBy(() -> journal.append(65_535, none, none))
                .withMessageContaining("`type`");
            assertThatIllegalArgumentException().isThrownBy(() -> journal.append(-1, none, none));
          }
        });
    assertThat(Row.readAll(file).rows()).hasSize(1);
  }

  @Test
  void aFileThatExistsIsNotTouched() throws Exception {
    Files.writeString(file, "mine");
    time.run(
        () ->
            assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> Journal.create(file, time, OPTIONS)));
    assertThat(file).hasContent("mine");
    assertThat(directory.resolve("run.weir.lock")).doesNotExist();
  }

  @Test
  void aClosedJournalTakesNoMore() throws Exception {
    time.run(
        () -> {
          var journal = Journal.create(file, time, OPTIONS);
          Row.of(1).appendTo(journal);
          journal.close();
          journal.close();
          assertThatExceptionOfType(JournalEndedException.class)
              .isThrownBy(() -> Row.of(2).appendTo(journal))
              .withMessageContaining("it was closed. On disk: 1 records, ");
        });
  }

  @Test
  void aCancelledTaskClosesItsJournalWhole() throws Exception {
    time.run(
        () -> {
          Task<?> cancelled =
              time.start(
                  "run",
                  () -> {
                    try (var journal = Journal.create(file, time, OPTIONS)) {
                      Row.of(1).appendLaterTo(journal);
                      time.sleep(Duration.ofHours(1));
                    }
                  });
          time.sleep(Duration.ofMillis(1));
          cancelled.cancel();
          assertThat(cancelled.join(time.after(Duration.ofSeconds(1)))).isTrue();
        });
    assertThat(Row.readAll(file).rows()).containsExactly(Row.of(1));
  }

  @Test
  void aCancelledTaskLeavesARecordWithoutWaiting() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS)) {
            Task<?> cancelled =
                time.start(
                    "sample",
                    () -> {
                      Thread.currentThread().interrupt();
                      Row row = Row.of(1);
                      journal.appendLaterAnyway(row.type(), row.keyBytes(), row.bodyBytes());
                      assertThat(Thread.interrupted()).isTrue();
                    });
            cancelled.join();
            assertThat(time.nanos()).isZero();
            assertThat(journal.durableRecords()).isZero();
          }
        });
    assertThat(Row.readAll(file).rows()).containsExactly(Row.of(1));
  }

  @Test
  void whatACancelledTaskHadAppendedIsWritten() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS)) {
            Task<?> appender = time.start("sample", () -> Row.of(1).appendTo(journal));
            time.sleep(Duration.ofMillis(1));
            appender.cancel();
            Row.of(2).appendTo(journal);
          }
        });
    assertThat(Row.readAll(file).rows()).containsExactly(Row.of(1), Row.of(2));
  }

  @Test
  void aJournalCanBeReadWhileItIsWritten() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS.withIndexEvery(4))) {
            try (var early = JournalReader.open(file)) {
              assertThat(early.isBeingWritten()).isTrue();
              for (int i = 0; i < 30; i++) {
                Row.of(i).appendTo(journal);
                assertThat(Row.readAll(file).rows()).hasSize(i + 1).endsWith(Row.of(i));
                assertThat(Row.entries(file).keys()).isEqualTo(Row.scanned(file));
                Cursor<JournalEntry> entries = early.entries();
                int count = 0;
                while (entries.next() != null) {
                  count++;
                }
                assertThat(count).isEqualTo(i + 1);
                assertThat(entries.damage().isEmpty()).isTrue();
              }
            }
          }
        });
    assertThat(JournalReader.isBeingWritten(file)).isFalse();
  }

  @Test
  void halfARecordIsNotThereYetWhileAWriterHoldsTheLock() throws Exception {
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, OPTIONS)) {
            Row.of(1).appendTo(journal);
          }
        });
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      try (var _ = JournalLock.take(file)) {
        assertThat(Row.readAll(file).damage().isEmpty()).isTrue();
        assertThat(Row.entries(file).damage().isEmpty()).isTrue();
      }
    }
  }

  @Test
  void memoryIsFlat() throws Exception {
    var counted = new AtomicInteger();
    var disk =
        new JournalFile() {
          @Override
          public int write(ByteBuffer from, long at) {
            int count = from.remaining();
            from.position(from.limit());
            return count;
          }

          @Override
          public void force() {
            counted.incrementAndGet();
          }

          @Override
          public void truncate(long size) {}

          @Override
          public void keepInPlace(long size) {}

          @Override
          public boolean isInPlace() {
            return true;
          }

          @Override
          public void close() {}
        };
    var thin = time.thinlyChecked();
    long[] used = new long[2];
    thin.run(
        () -> {
          try (var journal = Journal.begin(file, disk, JournalLock.take(file), thin, OPTIONS)) {
            byte[] key = new byte[200];
            byte[] body = "{\"answer\":\"Paris\"}".repeat(10).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 200_000; i++) {
              if (i == 20_000) {
                used[0] = usedMemory();
              }
              if (i % 1_000 == 0) {
                journal.append(1, key, body);
              } else {
                journal.appendLater(1, key, body);
              }
            }
            used[1] = usedMemory();
          }
        });
    // The keys alone of what came in between are 36 MB.
    assertThat(used[1] - used[0]).isLessThan(8 << 20);
    assertThat(counted.get()).isPositive();
  }

  @SuppressWarnings("SystemGc")
  private static long usedMemory() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void aDirectoryIsMade() throws Exception {
    Path deep = directory.resolve("a/b/run.weir");
    time.run(
        () -> {
          try (var journal = Journal.create(deep, time, OPTIONS)) {
            Row.of(1).appendTo(journal);
            assertThat(journal.file()).isEqualTo(deep);
          }
        });
    assertThat(Row.readAll(deep).rows()).hasSize(1);
    try (var left = Files.list(deep.getParent())) {
      assertThat(left).as("no lock file is left").containsExactly(deep);
    }
  }

  @Test
  void optionsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OPTIONS.withMaxHeldBytes(0))
        .withMessage("`maxHeldBytes` must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OPTIONS.withLinger(Duration.ofMillis(-1)));
    assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withRetryEvery(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withIndexEvery(0));
  }

  @Test
  void aDirectoryThatCannotBeWrittenIsSaidAtOnce() throws Exception {
    Path notADirectory = directory.resolve("plain");
    Files.writeString(notADirectory, "x");
    time.run(
        () ->
            assertThatExceptionOfType(IOException.class)
                .isThrownBy(
                    () -> Journal.create(notADirectory.resolve("run.weir"), time, OPTIONS)));
  }
}

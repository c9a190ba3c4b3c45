package dev.weir.eval.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.eval.memory.LimitStore.Entry;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real files on virtual time. */
@Timeout(30)
class LimitStoreTest {

  private static final String SCOPE = "openai@3f9a0c51d2e7/gpt-4o";
  private static final Instant NOW = VirtualTime.DEFAULT_START;

  @TempDir Path home;

  private final VirtualTime time = VirtualTime.seeded(1);

  private LimitStore store() {
    return new LimitStore(home.resolve("weir/limits"), time);
  }

  private static LearnedLimits limits(String scope, double requestsPerSecond, Instant learned) {
    return new LearnedLimits(
        scope,
        "openai/gpt-4o",
        "api.openai.com",
        new PaceMemory(
            PaceMemory.VERSION,
            learned.toEpochMilli(),
            OptionalDouble.of(requestsPerSecond),
            OptionalDouble.empty(),
            OptionalInt.of(40)));
  }

  private static LearnedLimits limits(double requestsPerSecond) {
    return limits(SCOPE, requestsPerSecond, NOW);
  }

  private Path written() throws IOException {
    assertThat(store().write(limits(8.25))).isTrue();
    return store().list().getFirst().file();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(store().directory())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static Optional<String> why(Optional<Entry> entry) {
    return entry.map(
        found -> found instanceof Entry.Unusable(_, String why) ? why : "usable: " + found);
  }

  @Test
  void readsWhatItWrote() throws Exception {
    assertThat(store().read(SCOPE)).isEmpty();
    assertThat(store().list()).isEmpty();
    Path file = written();
    assertThat(store().read(SCOPE)).contains(new Entry.Usable(file, limits(8.25)));
    assertThat(store().read("openai@3f9a0c51d2e7/gpt-4o-mini")).isEmpty();
  }

  @Test
  void writesTextThatPeopleCanReadAndNoCredential() throws Exception {
    assertThat(Files.readString(written()))
        .startsWith(
            """
            weir-limits 1
            scope openai@3f9a0c51d2e7/gpt-4o
            model openai/gpt-4o
            host api.openai.com
            weir-pace version=1 learned=%d requests_per_second=8.25 cap=40
            crc32c \
            """
                .formatted(NOW.toEpochMilli()));
  }

  @Test
  void isForTheOwnerAloneAndLeavesNothingBeside() throws Exception {
    Path file = written();
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(store().directory()))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    assertThat(names()).containsExactly(file.getFileName().toString());
  }

  @Test
  void ignoresAFileThatIsCutOffAnywhere() throws Exception {
    Path file = written();
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThat(store().read(SCOPE))
          .as("%d of %d bytes", length, whole.length)
          .get()
          .isInstanceOf(Entry.Unusable.class);
    }
  }

  @Test
  void ignoresAFileWithAnyBitFlipped() throws Exception {
    Path file = written();
    byte[] whole = Files.readAllBytes(file);
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, damaged);
      assertThat(store().read(SCOPE)).as("bit %d", bit).get().isInstanceOf(Entry.Unusable.class);
    }
  }

  @Test
  void ignoresWhatItDidNotWrite() throws Exception {
    Path file = written();
    byte[] whole = Files.readAllBytes(file);
    Files.writeString(file, "hello");
    assertThat(why(store().read(SCOPE))).contains("is not a file of learned limits");
    Files.write(file, new byte[1 << 20]);
    assertThat(why(store().read(SCOPE))).contains("is not a file of learned limits");
    Files.writeString(file, "weir-limits 2\n{}\n");
    assertThat(why(store().read(SCOPE))).contains("was written by another version of Weir");

    String other = "openai@ffffffffffff/gpt-4o";
    Files.write(store().directory().resolve(LimitsFile.name(other)), whole);
    assertThat(why(store().read(other))).contains("belongs to another account or model");

    Files.delete(file);
    Files.createSymbolicLink(file, store().directory().resolve(LimitsFile.name(other)));
    assertThat(why(store().read(SCOPE))).contains("is not a regular file");
    Files.delete(file);
    Files.createDirectory(file);
    assertThat(why(store().read(SCOPE))).contains("is not a regular file");
  }

  @Test
  void ignoresAFileFromTheFutureAndReplacesIt() throws Exception {
    Instant future = NOW.plus(Duration.ofHours(2));
    assertThat(store().write(limits(SCOPE, 100, future))).isTrue();
    assertThat(why(store().read(SCOPE))).contains("is dated in the future (2026-01-01T02:00:00Z)");
    assertThat(store().write(limits(5))).isTrue();
    assertThat(store().read(SCOPE)).get().isInstanceOf(Entry.Usable.class);
    // Clocks of two machines differ a little.
    assertThat(store().write(limits(SCOPE, 6, NOW.plusSeconds(30)))).isTrue();
    assertThat(store().read(SCOPE)).get().isInstanceOf(Entry.Usable.class);
  }

  @Test
  void keepsWhatWasLearnedLater() throws Exception {
    written();
    assertThat(store().write(limits(SCOPE, 1, NOW.minusSeconds(1)))).isFalse();
    assertThat(store().write(limits(SCOPE, 2, NOW))).isTrue();
    assertThat(store().read(SCOPE).orElseThrow())
        .isInstanceOfSatisfying(
            Entry.Usable.class,
            known -> assertThat(known.limits().memory().requestsPerSecond()).hasValue(2));
  }

  @Test
  void writesAlthoughItsThreadIsInterrupted() throws Exception {
    Thread.currentThread().interrupt();
    try {
      assertThat(store().write(limits(8.25))).isTrue();
      assertThat(store().read(SCOPE)).get().isInstanceOf(Entry.Usable.class);
    } finally {
      assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    }
  }

  @Test
  void isNeverDamagedByConcurrentWriters() throws Exception {
    Time real = Time.system();
    Instant learned = real.instant();
    Path directory = home.resolve("shared");
    new LimitStore(directory, real).write(limits(SCOPE, 1, learned));
    var isDone = new AtomicBoolean();
    List<Task<Void>> writers = new ArrayList<>();
    for (int writer = 1; writer <= 4; writer++) {
      double rate = writer;
      writers.add(
          real.start(
              "writer-" + writer,
              () -> {
                for (int i = 0; i < 50; i++) {
                  new LimitStore(directory, real).write(limits(SCOPE, rate, learned));
                }
                return null;
              }));
    }
    Task<Integer> reader =
        real.start(
            "reader",
            () -> {
              int reads = 0;
              while (!isDone.get()) {
                assertThat(new LimitStore(directory, real).read(SCOPE))
                    .get()
                    .isInstanceOf(Entry.Usable.class);
                reads++;
              }
              return reads;
            });
    for (Task<Void> writer : writers) {
      writer.join();
    }
    isDone.set(true);
    assertThat(reader.join()).isPositive();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void removesWhatIsTooOldOrUnfinished() throws Exception {
    Path fresh = written();
    assertThat(store().write(limits("openai@a/old", 1, NOW.minus(Duration.ofDays(8))))).isTrue();
    Path unfinished = Files.writeString(store().directory().resolve("x.limits.1-2.tmp"), "");
    Files.setLastModifiedTime(unfinished, FileTime.from(NOW.minus(Duration.ofHours(2))));
    Path writing = Files.writeString(store().directory().resolve("y.limits.1-2.tmp"), "");
    Path foreign = Files.writeString(store().directory().resolve("notes.txt"), "");
    Files.setLastModifiedTime(foreign, FileTime.from(NOW.minus(Duration.ofDays(80))));
    store().prune();
    assertThat(names())
        .containsExactlyInAnyOrder(
            fresh.getFileName().toString(),
            writing.getFileName().toString(),
            foreign.getFileName().toString());
  }

  @Test
  void keepsAThousandFiles() throws Exception {
    written();
    for (int i = 0; i < 1_003; i++) {
      Path file = Files.writeString(store().directory().resolve(i + ".limits"), "");
      Files.setLastModifiedTime(file, FileTime.from(NOW.minusSeconds(i + 1)));
    }
    store().prune();
    assertThat(names())
        .hasSize(1_000)
        .contains("0.limits", "998.limits")
        .doesNotContain("999.limits", "1002.limits");
  }

  @Test
  void forgetsWhatIsUnwanted() throws Exception {
    written();
    store().write(limits("openai@a/other", 1, NOW));
    Files.writeString(store().directory().resolve("bad.limits"), "?");
    assertThat(store().forget(entry -> entry instanceof Entry.Unusable)).isEqualTo(1);
    assertThat(store().list()).hasSize(2);
    assertThat(store().forget(_ -> true)).isEqualTo(2);
    assertThat(store().list()).isEmpty();
  }

  @Test
  void failsWhereNothingCanBeWritten() throws Exception {
    Files.writeString(home.resolve("weir"), "a file");
    assertThatThrownBy(() -> store().write(limits(1))).isInstanceOf(IOException.class);
    assertThat(store().read(SCOPE)).isEmpty();
    store().prune();
  }

  @Test
  void knowsAccountAndPoolOfAScope() {
    LearnedLimits pooled = limits("anthropic@3f9a#claude-sonnet-4.x", 1, NOW);
    assertThat(pooled.account()).isEqualTo("3f9a");
    assertThat(pooled.family()).isEqualTo("claude-sonnet-4.x");
    LearnedLimits alone = limits("http@3f9a/a/b#c@d", 1, NOW);
    assertThat(alone.account()).isEqualTo("3f9a");
    assertThat(alone.family()).isEmpty();
    assertThat(limits("sim/demo", 1, NOW).account()).isEmpty();
  }
}

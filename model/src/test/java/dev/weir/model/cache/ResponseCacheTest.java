package dev.weir.model.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.model.cache.CacheDirectory.ModelEntries;
import dev.weir.model.cache.CacheDirectory.Removed;
import dev.weir.model.cache.ResponseCache.Lookup;
import dev.weir.model.cache.ResponseCache.Settings;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResponseCacheTest {

  private static final int BLOCK = 4 << 10;

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private static CacheKey key(Object text) {
    return CacheKey.of(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private ResponseCache open(CacheAge age, long maxBytes) throws IOException {
    return ResponseCache.open(time, directory, new Settings(age, maxBytes));
  }

  private ResponseCache open() throws IOException {
    return ResponseCache.open(time, directory, Settings.defaults());
  }

  private static void put(ResponseCache cache, CacheKey key, String model, String text)
      throws InterruptedException {
    if (cache.look(key, Time.NEVER) instanceof Lookup.Miss(ResponseCache.Flight flight)) {
      try (flight) {
        flight.land(model, text);
      }
    } else {
      throw new AssertionError("it is there");
    }
  }

  private static Optional<String> find(ResponseCache cache, CacheKey key)
      throws InterruptedException {
    return switch (cache.look(key, Time.NEVER)) {
      case Lookup.Hit(String text) -> Optional.of(text);
      case Lookup.Miss(ResponseCache.Flight flight) -> {
        flight.close();
        yield Optional.empty();
      }
      case Lookup.TooLate() -> throw new AssertionError("nobody waits");
    };
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void keepsAnswersForTheNextProcess() throws Exception {
    time.run(
        () -> {
          put(open(), key(1), "a/b", "one\nand \uD83D\uDE00");
          assertThat(find(open(), key(1))).contains("one\nand \uD83D\uDE00");
          assertThat(find(open(), key(2))).isEmpty();
        });
    assertThat(Files.getPosixFilePermissions(files().getFirst().getParent()))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void answersGrowOld() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open(new CacheAge(Duration.ofHours(1)), 1 << 20);
          put(cache, key(1), "a/b", "one");
          time.sleep(Duration.ofMinutes(60));
          assertThat(find(cache, key(1))).contains("one");
          time.sleep(Duration.ofSeconds(1));
          assertThat(find(cache, key(1))).isEmpty();
          assertThat(find(open(CacheAge.NEVER, 1 << 20), key(1))).contains("one");
          // A new answer takes the place of the old one, and is young again.
          put(cache, key(1), "a/b", "two");
          assertThat(find(cache, key(1))).contains("two");
        });
    assertThat(files()).hasSize(1);
  }

  @Test
  void whatIsDamagedInAnyWayIsAbsent() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open();
          put(cache, key(1), "a/b", "an answer that is long enough to be cut");
          Path file = files().getFirst();
          byte[] whole = Files.readAllBytes(file);
          for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(find(cache, key(1))).as("cut at %s", length).isEmpty();
          }
          for (int i = 0; i < whole.length; i++) {
            byte[] changed = whole.clone();
            changed[i] ^= 0x15;
            Files.write(file, changed);
            // The name of the model is for people only, and the time may be another good one.
            find(cache, key(1))
                .ifPresent(
                    text -> assertThat(text).isEqualTo("an answer that is long enough to be cut"));
          }
          Files.write(file, new byte[100_000]);
          assertThat(find(cache, key(1))).isEmpty();
          Files.write(file, whole);
          assertThat(find(cache, key(1))).isPresent();
          // Under another name it would answer another question.
          Path other =
              directory.resolve(key(2).hex().substring(0, 2)).resolve(key(2).hex() + ".entry");
          Files.createDirectories(other.getParent());
          Files.copy(file, other);
          assertThat(find(cache, key(2))).isEmpty();
          Files.delete(file);
          Files.createDirectory(file);
          assertThat(find(cache, key(1))).isEmpty();
        });
  }

  @Test
  void theOldestMakeRoomAndNotEveryPutLooksAtAllFiles() throws Exception {
    int most = 100;
    int puts = 1_000;
    time.run(
        () -> {
          ResponseCache cache = open(CacheAge.NEVER, (long) most * BLOCK);
          int largest = 0;
          for (int i = 0; i < puts; i++) {
            put(cache, key(i), "a/b", "answer " + i);
            time.sleep(Duration.ofSeconds(1));
            if (i % 50 == 0) {
              largest = Math.max(largest, files().size());
            }
          }
          assertThat(largest).isLessThanOrEqualTo(most);
          assertThat(files()).hasSizeBetween(most * 8 / 10, most);
          assertThat(cache.scans()).isBetween(10L, puts / 4L);
          // What is left is the newest.
          assertThat(find(cache, key(puts - 1))).isPresent();
          assertThat(find(cache, key(puts - most * 8 / 10))).isPresent();
          assertThat(find(cache, key(puts - most - 1))).isEmpty();
        });
  }

  @Test
  void severalThatDoNotKnowOfEachOtherStayWithinTheBoundTogether() throws Exception {
    int most = 100;
    time.run(
        () -> {
          List<ResponseCache> caches = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            caches.add(open(CacheAge.NEVER, (long) most * BLOCK));
          }
          for (int i = 0; i < 800; i++) {
            put(caches.get(i % 4), key(i), "a/b", "answer " + i);
            time.sleep(Duration.ofSeconds(1));
            // Each may be a twentieth behind.
            assertThat(i % 40 != 0 || files().size() <= most + 4 * (most / 20 + 1)).isTrue();
          }
        });
  }

  @Test
  void whatIsTooLargeIsGivenUp() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open(CacheAge.NEVER, 1 << 20);
          put(cache, key(1), "a/b", "x".repeat(2 << 20));
          assertThat(find(cache, key(1))).isEmpty();
        });
    assertThat(files()).isEmpty();
    assertThatIllegalArgumentException().isThrownBy(() -> new Settings(CacheAge.NEVER, 1));
  }

  @Test
  void whatCannotBeWrittenStopsNobody() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open();
          // A file where a directory should be.
          Files.writeString(directory.resolve(key(1).hex().substring(0, 2)), "in the way");
          assertThat(cache.problem()).isEmpty();
          put(cache, key(1), "a/b", "one");
          assertThat(cache.problem().orElseThrow()).contains(key(1).hex().substring(0, 2));
          assertThat(find(cache, key(1))).isEmpty();
        });
  }

  @Test
  void listsClearsAndPrunes() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open();
          Instant begin = time.instant();
          put(cache, key(1), "a/b", "one");
          time.sleep(Duration.ofDays(3));
          put(cache, key(2), "a/b", "x".repeat(BLOCK));
          put(cache, key(3), "c/d", "three");
          CacheDirectory files = cache.directory();
          assertThat(files.list())
              .containsExactly(
                  new ModelEntries("a/b", 2, 3 * BLOCK, begin, time.instant()),
                  new ModelEntries("c/d", 1, BLOCK, time.instant(), time.instant()));
          assertThat(files.prune(new CacheAge(Duration.ofDays(4)), time.instant()))
              .isEqualTo(new Removed(0, 0));
          assertThat(files.prune(new CacheAge(Duration.ofDays(2)), time.instant()))
              .isEqualTo(new Removed(1, BLOCK));
          assertThat(files.clear("x/y")).isEqualTo(new Removed(0, 0));
          assertThat(files.clear("c/d")).isEqualTo(new Removed(1, BLOCK));
          assertThat(find(cache, key(2))).isPresent();
          Path file = files().getFirst();
          FileTime stored = Files.getLastModifiedTime(file);
          Files.writeString(file, "damaged");
          Files.setLastModifiedTime(file, stored);
          assertThat(files.list()).extracting(ModelEntries::model).containsExactly("");
          assertThat(files.prune(CacheAge.NEVER, time.instant())).isEqualTo(new Removed(1, BLOCK));
          put(cache, key(4), "e/f", "four");
          assertThat(files.clear()).isEqualTo(new Removed(1, BLOCK));
        });
    assertThat(files()).isEmpty();
  }

  @Test
  void whatIsDamagedInItsTextIsPruned() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open();
          put(cache, key(1), "a/b", "one");
          put(cache, key(2), "a/b", "two");
          Path file = files().getFirst();
          byte[] bytes = Files.readAllBytes(file);
          bytes[bytes.length - 1]++;
          FileTime stored = Files.getLastModifiedTime(file);
          Files.write(file, bytes);
          Files.setLastModifiedTime(file, stored);
          assertThat(cache.directory().prune(CacheAge.NEVER, time.instant()))
              .isEqualTo(new Removed(1, BLOCK));
        });
    assertThat(files()).hasSize(1);
  }

  @Test
  void whatAKilledWriterLeftIsSweptUp() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open();
          Path folder = Files.createDirectories(directory.resolve("00"));
          Path old = Files.writeString(folder.resolve("1-1.part"), "half");
          Path young = Files.writeString(folder.resolve("2-1.part"), "half");
          Files.setLastModifiedTime(old, FileTime.from(time.instant().minus(Duration.ofHours(2))));
          Files.setLastModifiedTime(young, FileTime.from(time.instant()));
          put(cache, key(1), "a/b", "one");
          assertThat(old).doesNotExist();
          assertThat(young).exists();
        });
  }

  /** Against a plain map: random puts, ages and reopenings. */
  @Test
  void behavesLikeAMapThatForgets() throws Exception {
    for (long seed = 1; seed <= 20; seed++) {
      var random = new SplittableRandom(seed);
      Path place = directory.resolve("seed" + seed);
      String failure = "seed " + seed;
      time.run(
          () -> {
            var settings = new Settings(new CacheAge(Duration.ofHours(1)), 1 << 30);
            ResponseCache cache = ResponseCache.open(time, place, settings);
            Map<Integer, String> texts = new HashMap<>();
            Map<Integer, Instant> stored = new HashMap<>();
            for (int step = 0; step < 200; step++) {
              int number = random.nextInt(10);
              time.sleep(Duration.ofMinutes(random.nextInt(20)));
              Instant at = stored.getOrDefault(number, Instant.MIN);
              boolean isFresh =
                  at.isAfter(time.instant().minus(Duration.ofMinutes(60).plusNanos(1)));
              String text = "text " + step;
              switch (cache.look(key(number), Time.NEVER)) {
                case Lookup.Hit(String found) -> {
                  assertThat(isFresh).as(failure).isTrue();
                  assertThat(found).as(failure).isEqualTo(texts.get(number));
                }
                case Lookup.Miss(ResponseCache.Flight flight) -> {
                  assertThat(isFresh).as(failure).isFalse();
                  try (flight) {
                    if (random.nextBoolean()) {
                      flight.land("a/b", text);
                      texts.put(number, text);
                      stored.put(number, time.instant());
                    }
                  }
                }
                case Lookup.TooLate() -> throw new AssertionError(failure);
              }
              if (random.nextInt(10) == 0) {
                cache = ResponseCache.open(time, place, settings);
              }
            }
          });
    }
  }

  @Test
  void identicalCallsInProgressAreMadeOnce() throws Exception {
    var calls = new AtomicInteger();
    List<String> answers = new ArrayList<>();
    time.run(
        () -> {
          ResponseCache cache = open();
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 50; i++) {
            tasks.add(
                time.start(
                    "caller " + i, () -> answers.add(ask(cache, calls, Optional.of("one")))));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    assertThat(calls).hasValue(1);
    assertThat(answers).hasSize(50).containsOnly("one");
  }

  private String ask(ResponseCache cache, AtomicInteger calls, Optional<String> answer)
      throws InterruptedException {
    return switch (cache.look(key(1), Time.NEVER)) {
      case Lookup.Hit(String text) -> text;
      case Lookup.Miss(ResponseCache.Flight flight) -> {
        try (flight) {
          calls.incrementAndGet();
          time.sleep(Duration.ofSeconds(1));
          answer.ifPresent(text -> flight.land("a/b", text));
        }
        yield answer.orElse("failed");
      }
      case Lookup.TooLate() -> throw new AssertionError("nobody is late");
    };
  }

  @Test
  void afterAFailureTheNextOneMakesTheCall() throws Exception {
    var calls = new AtomicInteger();
    time.run(
        () -> {
          ResponseCache cache = open();
          Task<String> first = time.start("first", () -> ask(cache, calls, Optional.empty()));
          time.sleep(Duration.ofMillis(1));
          Task<String> second = time.start("second", () -> ask(cache, calls, Optional.of("two")));
          Task<String> third = time.start("third", () -> ask(cache, calls, Optional.of("two")));
          assertThat(first.join()).isEqualTo("failed");
          assertThat(second.join()).isEqualTo("two");
          assertThat(third.join()).isEqualTo("two");
          assertThat(calls).hasValue(2);
        });
  }

  @Test
  void aCancelledLeaderIsReplacedAndACancelledFollowerLeaves() throws Exception {
    var calls = new AtomicInteger();
    time.run(
        () -> {
          ResponseCache cache = open();
          Task<String> leader = time.start("leader", () -> ask(cache, calls, Optional.of("a")));
          time.sleep(Duration.ofMillis(1));
          Task<String> follower = time.start("follower", () -> ask(cache, calls, Optional.of("b")));
          Task<String> leaving = time.start("leaving", () -> ask(cache, calls, Optional.of("c")));
          time.sleep(Duration.ofMillis(1));
          leaving.cancel();
          leader.cancel();
          assertThat(isCancelled(leaving)).isTrue();
          assertThat(isCancelled(leader)).isTrue();
          assertThat(follower.join()).isEqualTo("b");
          assertThat(calls).hasValue(2);
        });
  }

  private static boolean isCancelled(Task<String> task) throws InterruptedException {
    try {
      task.join();
      return false;
    } catch (CancellationException cancelled) {
      return true;
    }
  }

  @Test
  void nobodyWaitsLongerThanTheDeadline() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = open();
          if (!(cache.look(key(1), Time.NEVER) instanceof Lookup.Miss(var flight))) {
            throw new AssertionError("it is there");
          }
          try (flight) {
            long deadline = time.after(Duration.ofSeconds(3));
            assertThat(cache.look(key(1), deadline)).isEqualTo(new Lookup.TooLate());
            assertThat(time.nanos()).isEqualTo(deadline);
          }
        });
  }
}

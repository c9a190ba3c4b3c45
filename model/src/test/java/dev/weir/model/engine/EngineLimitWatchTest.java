package dev.weir.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weir.limits.EngineLimits;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineLimitWatchTest {

  @TempDir Path directory;

  private final List<Integer> limits = new CopyOnWriteArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private final VirtualTime time = VirtualTime.seeded(1);

  private void changed(EngineLimits now) {
    limits.add(now.ceiling("openai", "gpt-4o").concurrency().orElse(0));
  }

  private static void write(Path file, int limit) throws Exception {
    Files.writeString(file, "{\"openai\": {\"gpt-4o\": %d}}".formatted(limit));
  }

  private EngineLimitWatch watch(EngineLimitSource source) {
    EngineLimitWatch watch = new EngineLimitWatch(time, source, this::changed, notices::add);
    // Those that it begins with.
    limits.clear();
    return watch;
  }

  /** As the kubelet writes a mounted secret: a link to a link, which is turned at once. */
  @Test
  void aSecretThatKubernetesReplacesIsReadAgain() throws Exception {
    for (int version = 1; version <= 2; version++) {
      Path data = Files.createDirectory(directory.resolve("..v" + version));
      write(data.resolve("limits"), 4 + version);
    }
    Files.createSymbolicLink(directory.resolve("..data"), Path.of("..v1"));
    Path mounted = Files.createSymbolicLink(directory.resolve("limits"), Path.of("..data/limits"));
    var source =
        new EngineLimitSource(
            Map.of("AIGW_MODEL_ENGINE_LIMITS_FILE", mounted.toString()), Optional.empty());
    assertThat(source.read().ceiling("openai", "gpt-4o").concurrency()).hasValue(5);
    time.run(
        () -> {
          try (EngineLimitWatch watch = watch(source)) {
            watch.begin();
            time.sleep(Duration.ofSeconds(10));
            assertThat(limits).isEmpty();
            Files.createSymbolicLink(directory.resolve("..new"), Path.of("..v2"));
            Files.move(
                directory.resolve("..new"),
                directory.resolve("..data"),
                StandardCopyOption.ATOMIC_MOVE);
            time.sleep(Duration.ofSeconds(5));
            assertThat(limits).containsExactly(6);
            return null;
          }
        });
    assertThat(notices)
        .containsExactly("the engine limits have changed; the new ones apply from now on");
  }

  @Test
  void aMalformedFileKeepsTheOldLimitsAndIsReportedOnce() throws Exception {
    Path file = directory.resolve("limits.yaml");
    Files.writeString(file, "engines: {openai: {models: {gpt-4o: 5}}}");
    var source = new EngineLimitSource(Map.of(), Optional.of(file));
    time.run(
        () -> {
          try (EngineLimitWatch watch = watch(source)) {
            watch.begin();
            Files.writeString(file, "engines: {openai: {models: {gpt-4o: 0}}}");
            time.sleep(Duration.ofSeconds(10));
            assertThat(watch.status().isHealthy()).isFalse();
            assertThat(limits).isEmpty();
            assertThat(notices)
                .singleElement()
                .asString()
                .contains("the limit of model 1 of engine 1 must be a whole number")
                .endsWith("; the limits of engines stay as they were");
            Files.writeString(file, "engines: {openai: {models: {gpt-4o: 7}}}");
            watch.reload();
            assertThat(watch.status().isHealthy()).isTrue();
            assertThat(limits).containsExactly(7);
            Files.delete(file);
            watch.reload();
            Files.writeString(file, "engines: {openai: {models: {gpt-4o: 7}}}");
            watch.reload();
            assertThat(notices).last().asString().endsWith("can be read again; they are as before");
            return null;
          }
        });
    assertThat(limits).containsExactly(7);
  }

  /** The reader of YAML has no bound of its own, and its failure must not end the watch. */
  @Test
  void aFileThatIsNestedTooDeeplyKeepsTheOldLimits() throws Exception {
    Path file = Files.writeString(directory.resolve("limits.yaml"), "engines: {}");
    EngineLimitWatch watch = watch(new EngineLimitSource(Map.of(), Optional.of(file)));
    Files.writeString(file, "[".repeat(200_000));
    watch.reload();
    assertThat(watch.status().problem())
        .hasValueSatisfying(why -> assertThat(why).contains("nested too deeply"));
    Files.writeString(file, "engines: {openai: {models: {gpt-4o: 7}}}");
    watch.reload();
    assertThat(watch.status().isHealthy()).isTrue();
    assertThat(limits).containsExactly(7);
  }

  /** Half of a file that is being written may be a whole one of no limits. */
  @Test
  void anEmptyFileIsNotAFileWithoutLimits() throws Exception {
    Path file = directory.resolve("limits");
    write(file, 5);
    var source =
        new EngineLimitSource(
            Map.of("WEIR_MODEL_ENGINE_LIMITS_FILE", file.toString()), Optional.empty());
    EngineLimitWatch watch = watch(source);
    Files.writeString(file, "");
    watch.reload();
    assertThat(limits).isEmpty();
    assertThat(watch.status().problem())
        .hasValueSatisfying(why -> assertThat(why).contains("empty"));
  }

  @Test
  void ofAllPlacesTheLowestHolds() throws Exception {
    Path file = directory.resolve("limits.yaml");
    Files.writeString(
        file, "enforce: false\nengines: {openai: {models: {gpt-*: 4, other: {requests: 3}}}}");
    EngineLimits read =
        new EngineLimitSource(
                Map.of("WEIR_MODEL_ENGINE_LIMITS", "{\"openai\": {\"gpt-4o\": 5, \"o1\": 9}}"),
                Optional.of(file))
            .read();
    assertThat(read.ceiling("openai", "gpt-4o").concurrency()).hasValue(4);
    assertThat(read.ceiling("openai", "o1").concurrency()).hasValue(9);
    assertThat(read.isEnforced()).isFalse();
    // What the file only measures against takes nothing from what the variable enforces.
    assertThat(read.onlyEnforced().ceiling("openai", "gpt-4o").concurrency()).hasValue(5);
    assertThat(read.onlyEnforced().ceiling("openai", "o1").concurrency()).hasValue(9);
    assertThat(read.onlyEnforced().limits("openai", "other")).isFalse();
  }

  /** As one on a file system that hangs: reading it waits until something is written to it. */
  @Test
  void aFileThatCannotBeReadForLongHoldsUpNothing() throws Exception {
    Path file = directory.resolve("limits");
    write(file, 5);
    var source =
        new EngineLimitSource(
            Map.of("WEIR_MODEL_ENGINE_LIMITS_FILE", file.toString()), Optional.empty());
    EngineLimitWatch watch = watch(source);
    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    Thread reloading = Thread.ofPlatform().daemon().start(watch::reload);
    while (!isReading(reloading)) {
      Thread.onSpinWait();
    }
    assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> assertThat(watch.status().isHealthy()).isTrue());
    // Asked for meanwhile, it is read again when the first look has ended.
    watch.reload();
    write(file, 7);
    while (limits.isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(limits).containsExactly(7);
    watch.close();
  }

  private static boolean isReading(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(SecretFile.class.getName()));
  }

  @Test
  void listenersAreCalledOutsideTheLock() throws Exception {
    Path file = directory.resolve("limits");
    write(file, 5);
    List<Boolean> locked = new ArrayList<>();
    var source =
        new EngineLimitSource(
            Map.of("WEIR_MODEL_ENGINE_LIMITS_FILE", file.toString()), Optional.empty());
    List<EngineLimitWatch> made = new ArrayList<>();
    made.add(
        new EngineLimitWatch(
            time,
            source,
            _ -> made.forEach(watch -> locked.add(Thread.holdsLock(watch))),
            _ -> made.forEach(watch -> locked.add(Thread.holdsLock(watch)))));
    write(file, 6);
    made.getFirst().reload();
    assertThat(locked).containsExactly(false, false);
  }
}

package dev.weir.model.engine;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineLimitWatchTest {

  @TempDir Path directory;

  private final List<Integer> limits = new ArrayList<>();
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
  }
}

package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.memory.LearnedLimits;
import dev.weir.eval.memory.LimitStore;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.model.ModelName;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On virtual time; what a regulator learns is put into it, since how it learns is its own. */
class RunMemoryTest {

  private static final LimitKey KEY = LimitKey.of("openai", "3f9a0c51d2e7", "gpt-4o");
  private static final ModelName NAME = ModelName.parse("openai/gpt-4o");
  private static final String URL = "https://proxy.example:8443/v1";

  @TempDir Path home;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));
  private final List<String> notices = new ArrayList<>();

  private LimitStore store() {
    return new LimitStore(home.resolve("limits"), time);
  }

  private RunMemory memory() {
    return new RunMemory(time, Optional.of(store()), regulator, notices::add);
  }

  private PaceMemory learned(double requestsPerSecond) {
    return new PaceMemory(
        PaceMemory.VERSION,
        time.instant().toEpochMilli(),
        OptionalDouble.of(requestsPerSecond),
        OptionalDouble.empty(),
        OptionalInt.empty());
  }

  private void learn(double requestsPerSecond) {
    regulator.recall(Map.of(KEY.learningScope(), learned(requestsPerSecond)));
  }

  private Optional<LearnedLimits> saved() {
    return store()
        .read(KEY.learningScope())
        .map(entry -> ((LimitStore.Entry.Usable) entry).limits());
  }

  @Test
  void savesNowAndThenAndAtTheEnd() throws Exception {
    time.run(
        () -> {
          try (var memory = memory()) {
            memory.recall(KEY, NAME, URL);
            memory.begin();
            learn(5);
            assertThat(saved()).isEmpty();
            time.sleep(Duration.ofSeconds(61));
            assertThat(saved().orElseThrow().memory().requestsPerSecond()).hasValue(5);
            assertThat(saved().orElseThrow().host()).isEqualTo("proxy.example:8443");
            learn(6);
          }
          assertThat(saved().orElseThrow().memory().requestsPerSecond()).hasValue(6);
        });
    assertThat(notices).isEmpty();
  }

  @Test
  void leavesAFileAloneThatItLearnedNothingFor() throws Exception {
    store().write(new LearnedLimits(KEY.learningScope(), "openai/gpt-4o", "", learned(7)));
    time.run(
        () -> {
          try (var memory = memory()) {
            memory.recall(KEY, NAME, URL);
            assertThat(regulator.memories()).containsKey(KEY.learningScope());
            store().forget(_ -> true);
          }
        });
    assertThat(saved()).isEmpty();
  }

  @Test
  void reportsAnUnusableFileOnceAndReplacesIt() throws Exception {
    store().write(new LearnedLimits(KEY.learningScope(), "openai/gpt-4o", "", learned(7)));
    Path file = store().list().getFirst().file();
    Files.writeString(file, "weir-limits 1\n");
    time.run(
        () -> {
          try (var memory = memory()) {
            memory.recall(KEY, NAME, URL);
            memory.recall(KEY, NAME, URL);
            assertThat(regulator.memories()).isEmpty();
            learn(3);
          }
        });
    assertThat(notices)
        .containsExactly(
            ("the limits learned earlier for openai/gpt-4o are ignored: %s is damaged (checksum"
                    + " mismatch); remove the file with 'weir limits forget --unusable'")
                .formatted(file));
    assertThat(saved().orElseThrow().memory().requestsPerSecond()).hasValue(3);
  }

  @Test
  void reportsOnceThatNothingCanBeSaved() throws Exception {
    Files.writeString(home.resolve("limits"), "a file");
    time.run(
        () -> {
          try (var memory = memory()) {
            memory.recall(KEY, NAME, URL);
            memory.begin();
            learn(3);
            time.sleep(Duration.ofMinutes(5));
          }
        });
    assertThat(notices).singleElement().asString().contains("cannot be saved", "--no-memory");
  }

  @Test
  void knowsNothingOfModelsWithoutAnAccount() throws Exception {
    LimitKey simulated = LimitKey.named("sim/demo");
    time.run(
        () -> {
          try (var memory = memory()) {
            memory.recall(simulated, ModelName.parse("sim/demo"), "");
            regulator.recall(Map.of(simulated.learningScope(), learned(3)));
          }
        });
    assertThat(store().list()).isEmpty();
    assertThat(Files.exists(home.resolve("limits"))).isFalse();
  }
}

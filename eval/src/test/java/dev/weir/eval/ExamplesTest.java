package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.time.virtual.VirtualTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every task file under examples runs, against a simulated model that is always right. */
class ExamplesTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("weir.root"), "examples");

  private final VirtualTime time = VirtualTime.seeded(1);

  @TempDir Path logs;

  static List<Path> tasks() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(ExamplesTest::isTask)
          .sorted()
          .toList();
    }
  }

  private static boolean isTask(Path file) {
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      List<String> lines = reader.lines().toList();
      // Those with a scripted model are run where the mock provider is: in the tests of the cli.
      return lines.stream().anyMatch(line -> line.startsWith("task:"))
          && lines.stream().noneMatch(line -> line.contains("replies:"))
          // Those of selections are run by the tests beside them.
          && lines.stream().noneMatch(line -> line.startsWith("nodes:"));
    } catch (IOException unreadable) {
      throw new java.io.UncheckedIOException(unreadable);
    }
  }

  private RunResult run(Path task, Settings more) throws Exception {
    Settings settings =
        more.with("model", "sim/right:accuracy=1,rpm=0").with("seed", 1).with("log_dir", logs);
    var host = new Host(Map.of(), Optional.empty(), (_, _) -> {});
    return time.run(() -> Evaluation.prepare(time, task, settings, host).run()).result();
  }

  @ParameterizedTest
  @MethodSource("tasks")
  void everyTaskRuns(Path task) throws Exception {
    RunResult result = run(task, Settings.NONE);
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples().scored()).isEqualTo(result.samples().total()).isPositive();
    assertThat(result.samples().failed()).isZero();
    assertThat(result.metrics()).containsEntry("accuracy", 1.0);
  }

  @Test
  void thereAreExamplesOfEachKind() throws IOException {
    assertThat(tasks())
        .extracting(task -> task.getFileName().toString())
        .contains("capitals.yaml", "chat.yaml", "epochs.yaml", "folder.yaml", "variables.yaml");
  }

  @Test
  void argumentsReachTheVariablesOfAnExample() throws Exception {
    RunResult result =
        run(EXAMPLES.resolve("variables.yaml"), Settings.NONE.with("task_args", "questions=2"));
    assertThat(result.samples().total()).isEqualTo(2);
  }
}

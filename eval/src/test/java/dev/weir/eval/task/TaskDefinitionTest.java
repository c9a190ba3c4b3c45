package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskDefinitionTest {

  private static final Dataset DATASET = new Dataset(List.of(new Sample("1", "a", "b")));

  @Test
  void namesAreOneVisibleLine() {
    for (String name : List.of("", "  ", "a\nb", "a\u001b[2J")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> task(name).scorer("exact", Scorers.exact()).build())
          .withMessageContaining("`name` must be one line");
    }
  }

  @Test
  void scorersHaveDistinctNames() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                task("t")
                    .scorer("exact", Scorers.exact())
                    .scorer("exact", Scorers.includes())
                    .build())
        .withMessageContaining("'exact' is there twice");
    assertThatIllegalArgumentException().isThrownBy(() -> task("t").build());
  }

  @Test
  void readsLikeATaskFile() {
    TaskDefinition task =
        TaskDefinition.named("t")
            .dataset(new Sample("1", "a", "b"), new Sample("2", "c", "d"))
            .solver(Solvers.generate())
            .scorer(Scorers.includes())
            .scorer(Scorers.exact(), Metrics.of("std", Map.of()))
            .scorer(Scorer.of((output, target) -> 1))
            .model("sim/a", "sim/b")
            .role("grader", "sim/judge")
            .role("critic", "sim/x:rpm=60,burst=1")
            .epochs(3, "mean", "pass_at_2")
            .maxConnections(10)
            .timeLimit(Duration.ofMillis(1500))
            .messageLimit(20)
            .tokenLimit(5000)
            .turnLimit(7)
            .failOnError(0.1)
            .build();
    assertThat(task.scorers())
        .extracting(NamedScorer::name)
        .containsExactly("includes", "exact", "score");
    assertThat(task.scorers().get(1).metrics()).extracting(Metric::name).containsExactly("std");
    RunOptions options = RunOptions.parse(task.settings());
    assertThat(options.model()).containsExactly("sim/a", "sim/b");
    assertThat(options.modelRoles())
        .isEqualTo(Map.of("grader", "sim/judge", "critic", "sim/x:rpm=60,burst=1"));
    assertThat(options.samples().epochs()).hasValue(3);
    assertThat(options.samples().reducers()).containsExactly("mean", "pass_at_2");
    assertThat(options.sampleLimits().time()).hasValue(Duration.ofMillis(1500));
    assertThat(options.sampleLimits().messages()).hasValue(20);
    assertThat(options.sampleLimits().turns()).hasValue(7);
    assertThat(options.errors().failOnError()).hasValue(0.1);
    assertThat(task.with("other").name()).isEqualTo("other");
  }

  @Test
  void optionsThatCannotBeAreRefusedWhereTheyStand() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> task("t").maxConnections(0))
        .withMessageContaining("max_connections");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> task("t").model("nonsense"))
        .withMessageContaining("model");
  }

  @Test
  void pathsAreRelativeToWhereTheTaskIs(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve("some.csv"), "input,target\nq,a\n");
    TaskDefinition task =
        TaskPaths.relativeTo(
            directory, () -> task("t").dataset("some.csv").scorer(Scorers.exact()).build());
    assertThat(task.dataset().samples()).hasSize(1);
    assertThat(TaskPaths.resolve("some.csv")).isEqualTo(Path.of("some.csv"));
  }

  private static TaskDefinition.Builder task(String name) {
    return TaskDefinition.named(name).dataset(DATASET).solver(Solvers.generate());
  }
}

package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.log.DatasetRecord;
import dev.weir.log.RunStart;
import dev.weir.log.SampleIds;
import dev.weir.model.ModelName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunIdentityTest {

  @TempDir private Path directory;

  private TaskDefinition task(String scorer) throws Exception {
    return TaskFile.read(
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: sums
            dataset: [{input: What is 1 + 1?, target: "2"}]
            solver: generate
            scorer: [%s]
            """
                .formatted(scorer)));
  }

  private static String planned(TaskDefinition task) {
    return RunIdentity.of(
        new EarlierRuns.Planned(
            task, RunOptions.parse(Settings.NONE), ModelName.parse("sim/a"), Map.of()));
  }

  /** As it is in the log of a run. */
  private static String logged(TaskDefinition task) {
    return RunIdentity.of(
        new RunStart(
            "run",
            "run",
            task.name(),
            task.provenance().origin(),
            new DatasetRecord("sums", Optional.empty(), SampleIds.ofTexts(List.of("1")), false),
            task.provenance().solvers(),
            "sim/a",
            Map.of(),
            1,
            1,
            "pace",
            10,
            List.of(task.scorers().getFirst().name()),
            Map.of(),
            List.of(),
            Map.of(),
            Instant.EPOCH,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(task.provenance().scorers())));
  }

  @Test
  void whatAScorerIsGivenMakesAnotherRun() throws Exception {
    TaskDefinition begin = task("{name: m, match: {location: begin}}");
    assertThat(planned(begin)).isEqualTo(logged(begin));
    assertThat(planned(begin)).isNotEqualTo(planned(task("{name: m, match: {location: end}}")));
    assertThat(planned(begin)).isNotEqualTo(planned(task("{match: {location: begin}}")));
    assertThat(planned(task("match"))).isEqualTo(planned(task("{match: {}}")));
  }
}

package tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Host;
import dev.weir.eval.select.ModelSelection;
import dev.weir.eval.select.SelectionFindings;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.SelectionFile;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The truth is planted in examples/select-agents.yaml: plan-b and answer-c are the best. */
class SelectAgentsTest {

  /** Few here, 100 in profile {@code sequential}. */
  private static final int SEEDS = Integer.getInteger("weir.selection.seeds", 20);

  @TempDir private Path logs;

  @Test
  void findsThePlantedBestForNearlyAllSeeds() throws Exception {
    // Read once: the task is compiled each time.
    var input = new TaskInput(Map.of(), Map.of(), TaskInput.NO_STDIN);
    SelectionFile file = SelectionFile.read(Path.of("select-agents.yaml"), input);
    TaskDefinition task = TaskSources.load(file.source().orElseThrow(), input).getFirst();
    int found = 0;
    double share = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      ModelSelection.Builder selection =
          ModelSelection.of(task)
              .settings(file.settings())
              .option("seed", seed)
              .option("log_dir", logs);
      file.nodes().forEach((node, models) -> selection.node(node, models.toArray(String[]::new)));
      SelectionFindings findings = run(seed, selection);
      Map<String, String> winner = findings.models(findings.result().winner().orElseThrow());
      if (winner.get("planner").contains("plan-b") && winner.get("model").contains("answer-c")) {
        found++;
      }
      share +=
          (double) findings.result().evaluations() / findings.result().allEvaluations() / SEEDS;
    }
    System.out.printf(
        Locale.ROOT,
        "the planted best was found for %d of %d seeds, with %.1f %% of the evaluations%n",
        found,
        SEEDS,
        100 * share);
    assertThat((double) found).isGreaterThanOrEqualTo(0.95 * SEEDS);
    assertThat(share).isLessThanOrEqualTo(0.4);
  }

  private static SelectionFindings run(int seed, ModelSelection.Builder selection)
      throws Exception {
    var time = VirtualTime.seeded(seed);
    var host = new Host(Map.of(), Optional.empty(), (_, _) -> {});
    return time.run(() -> selection.prepare(time, host).run(_ -> {}));
  }
}

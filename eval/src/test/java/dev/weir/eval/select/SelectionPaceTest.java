package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Selections whose models have a pace of their own. */
class SelectionPaceTest {

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private ModelSelection.Builder fourModels(String logs) {
    TaskDefinition task =
        TaskDefinition.named("plain")
            .dataset(Planted.sums(40))
            .solver(Solvers.generate())
            .scorer(Scorers.includes())
            .build();
    return ModelSelection.of(task)
        .node(
            "model",
            Planted.model("a", 0.7, 1),
            Planted.model("b", 0.9, 1),
            Planted.model("c", 0.8, 1),
            Planted.model("d", 0.6, 1))
        .option("selector", "brute_force")
        .option("max_concurrent", 20)
        .option("log_dir", directory.resolve(logs));
  }

  /** Each model takes ten calls a second at most, and all together twenty at a time. */
  @Test
  void whoWaitsForThePaceOfAModelKeepsNobodyFromAnother() throws Exception {
    SelectionFindings free = Planted.run(fourModels("free").option("max_connections", 100));
    CountedProvider.reset();
    SelectionFindings paced = Planted.run(fourModels("paced").option("rpm", 600));
    assertThat(CountedProvider.most()).isEqualTo(20);
    assertThat(paced.elapsed()).isLessThan(free.elapsed().multipliedBy(5).dividedBy(4));
    assertThat(paced.result().standings()).isEqualTo(free.result().standings());
  }

  @Test
  void ratesThatAreGivenHoldForTheCandidatesOfEveryNode() throws Exception {
    Planted.run(
        ModelSelection.of(Planted.task(20))
            .node("planner", Planted.model("plan-a", 0.7, 1), Planted.model("plan-b", 0.9, 1))
            .node("model", Planted.model("solve-a", 0.6, 1), Planted.model("solve-b", 0.9, 1))
            .option("selector", "brute_force")
            .option("rpm", 60)
            .option("log_dir", directory.resolve("logs")));
    long first =
        CountedProvider.ended().stream().mapToLong(CountedProvider.Call::began).min().orElseThrow();
    long early = first + Duration.ofSeconds(10).toNanos();
    for (String model : new String[] {"plan-a", "plan-b", "solve-a", "solve-b"}) {
      assertThat(CountedProvider.ended())
          .filteredOn(call -> call.model().startsWith(model) && call.began() < early)
          .hasSizeLessThan(20);
    }
  }
}

package tasks;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.junit.Evaluation;
import dev.weir.junit.EvaluationResult;

/** Evaluations as tests: {@code mvn test}, or the green arrow of an editor. */
@Evaluation(model = "sim/demo:accuracy=1,latency=1ms,rpm=0", options = "seed=7")
class CapitalsTest {

  /** A task file. */
  @Evaluation(task = "capitals.yaml", threshold = "accuracy >= 0.9")
  void knowsCapitals() {}

  /** Every task of a Java file is a test of its own. */
  @Evaluation(
      task = "java/tasks/Capitals.java",
      options = {"limit=10", "task_args=words=3"})
  void isBrief(EvaluationResult result) {
    assertThat(result.run().samples().failed()).isZero();
    assertThat(result.metric("accuracy")).isEqualTo(1);
  }

  /** A task of the test class itself. */
  @EvalTask
  static TaskDefinition.Builder rivers() {
    return TaskDefinition.named("rivers")
        .dataset(new Sample("paris", "Which river flows through Paris?", "Seine"))
        .solver(generate())
        .scorer(includes());
  }

  @Evaluation(task = "@rivers", threshold = "accuracy >= 1")
  void knowsRivers() {}

  /**
   * An agent, with replies from a file; a model that needs a key is skipped where there is none.
   */
  @Evaluation(
      task = "java/tasks/Shop.java",
      model = "mock/shop",
      options = "model_args=replies=java/shop.yaml",
      threshold = "accuracy >= 1",
      skipWithoutCredentials = true)
  void adds(EvaluationResult result) {
    assertThat(result.samples())
        .allSatisfy(sample -> assertThat(sample.messages()).hasSizeGreaterThan(3));
  }
}

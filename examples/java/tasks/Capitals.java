package tasks;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;

import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import java.util.StringTokenizer;

/**
 * Do models know capitals? Runs at once: sim/demo is a simulated model, without network or key.
 *
 * <pre>
 * ./weir eval examples/java/tasks/Capitals.java
 * ./weir eval examples/java/tasks/Capitals.java@terse -T words=2
 * </pre>
 */
final class Capitals {

  private Capitals() {}

  /** The same as examples/capitals.yaml. */
  @EvalTask
  static TaskDefinition.Builder capitals() {
    return TaskDefinition.named("capitals")
        .dataset("../../capitals.csv") // relative to this file
        .solver(generate())
        .scorer(includes())
        .model("sim/demo");
  }

  /** With a solver and a scorer of its own, and an argument. */
  @EvalTask(defaults = "words=1")
  static TaskDefinition.Builder terse(int words) {
    return TaskDefinition.named("terse capitals")
        .dataset("../../capitals.csv")
        .solver(wish("Answer in %d words or less.".formatted(words)), generate())
        .scorer(includes())
        .scorer("terse", atMost(words))
        .model("sim/demo")
        .epochs(2, "mean")
        .failOnError(0.1);
  }

  private static Solver wish(String text) {
    return (state, context) -> state.setUserPrompt(state.userPrompt() + " " + text);
  }

  private static Scorer atMost(int words) {
    return (state, context) -> {
      int used = new StringTokenizer(state.output().orElse("")).countTokens();
      return Score.of(used <= words).withExplanation("%d words".formatted(used));
    };
  }
}

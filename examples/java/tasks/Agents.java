package tasks;

import static dev.weir.eval.scorer.Scorers.includes;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.Message;
import dev.weir.model.Request;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An agent with two steps: the model of the role planner makes a plan, the evaluated one carries it
 * out. Which models are best for the two?
 *
 * <pre>
 * ./weir select examples/select-agents.yaml
 * </pre>
 */
final class Agents {

  private static final String PLAN = "add the numbers";
  private static final int SUMS = 150;

  private Agents() {}

  @EvalTask
  static TaskDefinition.Builder agents() {
    return TaskDefinition.named("agents")
        .dataset(IntStream.rangeClosed(1, SUMS).mapToObj(Agents::sum).toArray(Sample[]::new))
        .solver(planAndAnswer())
        .scorer(includes())
        .model("sim/demo");
  }

  private static Sample sum(int number) {
    return new Sample(
        "sum-" + number,
        "What is %d + %d?".formatted(3 * number, number + 7),
        Integer.toString(4 * number + 7));
  }

  /** Targets tell simulated models what is right; others do not see them. */
  private static Solver planAndAnswer() {
    return (state, context) -> {
      String question = state.userPrompt();
      String plan =
          context
              .role("planner")
              .generate(Request.of("Make a plan: " + question).withTarget(PLAN))
              .message()
              .text();
      Request request =
          Request.of(List.of(Message.user(question), Message.user("The plan: " + plan)));
      // A simulated model cannot be misled by a bad plan, unless it is told to be.
      boolean isMisled = !plan.contains(PLAN);
      state.answered(context.model().generate(isMisled ? request.withTarget("no idea") : request));
    };
  }
}

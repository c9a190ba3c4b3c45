package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import java.util.List;

/**
 * What is to be evaluated.
 *
 * @param solvers run in order on each sample, at least one
 * @param options what the task file sets; the command line and the environment win over it
 */
public record TaskDefinition(
    String name, Dataset dataset, List<Solver> solvers, Scorer scorer, TaskOptions options) {

  public TaskDefinition {
    solvers = List.copyOf(solvers);
    if (solvers.isEmpty()) {
      throw new IllegalArgumentException("`solvers` must not be empty");
    }
  }
}

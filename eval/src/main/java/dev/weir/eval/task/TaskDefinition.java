package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import dev.weir.model.Printable;
import java.util.List;

/**
 * What is to be evaluated.
 *
 * @param name one line, for people
 * @param solvers run in order on each sample, at least one
 * @param scorer never gives a score outside 0 to 1: it fails instead
 * @param options what the task file sets; the command line and the environment win over it
 */
public record TaskDefinition(
    String name, Dataset dataset, List<Solver> solvers, Scorer scorer, TaskOptions options) {

  public TaskDefinition {
    solvers = List.copyOf(solvers);
    scorer = Scorer.checked(scorer);
    if (name.isBlank() || !Printable.isLine(name)) {
      throw new IllegalArgumentException(
          "`name` must be one line without control characters, was '%s'"
              .formatted(Printable.line(name)));
    }
    if (solvers.isEmpty()) {
      throw new IllegalArgumentException("`solvers` must not be empty");
    }
  }
}

package dev.weir.eval.task;

import dev.weir.eval.option.Secrets;
import dev.weir.log.RunStart.Step;
import dev.weir.log.TaskOrigin;
import java.util.List;
import java.util.Optional;

/**
 * Where a task comes from, for its log, and for whoever wants to make it again.
 *
 * @param origin absent if a program made the task on the fly
 * @param dataset the file that its samples were read from, if it was one
 * @param solvers the steps as they were written, without credentials; empty if nobody wrote them
 *     down
 * @param scorers likewise
 * @param secrets hides what it has from the environment, also in its settings
 */
public record Provenance(
    Optional<TaskOrigin> origin,
    Optional<String> dataset,
    List<Step> solvers,
    List<Step> scorers,
    Secrets secrets) {

  static final Provenance NONE =
      new Provenance(Optional.empty(), Optional.empty(), List.of(), List.of(), Secrets.NONE);

  public Provenance {
    solvers = List.copyOf(solvers);
    scorers = List.copyOf(scorers);
  }

  Provenance of(TaskOrigin source) {
    return new Provenance(Optional.of(source), dataset, solvers, scorers, secrets);
  }
}

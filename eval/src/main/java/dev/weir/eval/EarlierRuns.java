package dev.weir.eval;

import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.model.ModelName;
import java.util.Map;
import java.util.stream.Collectors;

/** Knows whether a run that is planned was run before. */
@FunctionalInterface
interface EarlierRuns {

  /** Nothing was. */
  EarlierRuns NONE = _ -> new Nothing();

  Found find(Planned planned);

  /** What there is of a run. */
  sealed interface Found permits Nothing, GoOn, Complete {}

  /** It was never run. */
  record Nothing() implements Found {}

  /** Part of it was. */
  record GoOn(Retried retried) implements Found {}

  /** All of it was. */
  record Complete(FinishedRun run) implements Found {}

  /**
   * A task on a model.
   *
   * @param task with the samples that are to be run
   * @param config the options that were given, by key, as a log keeps them
   */
  record Planned(
      TaskDefinition task, RunOptions options, ModelName model, Map<String, String> config) {

    int epochs() {
      return options.samples().epochs().orElse(1);
    }

    /** What it keeps of a log. */
    Retried kept(Retried old) {
      return old.of(
          task.dataset().samples(),
          epochs(),
          task.scorers().stream().map(NamedScorer::name).collect(Collectors.toSet()));
    }
  }
}

package dev.weir.eval.source;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;

/** What a test finds by the name of this class. */
final class TasksOnTheClassPath {

  @EvalTask
  TaskDefinition zebra() {
    return definition("zebra");
  }

  @EvalTask(name = "the second")
  static TaskDefinition ape() {
    return definition("ape");
  }

  TaskDefinition notATask() {
    return definition("not a task");
  }

  private static TaskDefinition definition(String name) {
    return TaskDefinition.named(name)
        .dataset(new Sample("1", "question", "answer"))
        .solver(generate())
        .scorer(includes())
        .build();
  }
}

package dev.weir.eval;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedOptionsTest {

  private static TaskDefinition task(String name, String model, String option, Object value) {
    return TaskDefinition.named(name)
        .dataset(new Sample("1", "q", "a"))
        .solver(generate())
        .scorer(includes())
        .model(model)
        .option(option, value)
        .build();
  }

  @Test
  void whatRegulatesAModelIsTheSameInAllTasksThatEvaluateIt() {
    Settings placed =
        Settings.NONE
            .with(Options.named("model"), "sim/x", "b.yaml, line 5, column 8: `model`")
            .with(Options.named("rpm"), "60", "b.yaml, line 6, column 6: `rpm`");
    List<TaskDefinition> tasks =
        List.of(task("a", "sim/x", "rpm", 50), task("b", "sim/x", "epochs", 2).with(placed));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> SharedOptions.requireSame(tasks, Settings.NONE))
        .withMessage(
            "`rpm` holds for all calls to sim/x, but a and b do not say the same (the option rpm,"
                + " is '50'; b.yaml, line 6, column 6: `rpm`, is '60'); give it on the command"
                + " line");
    assertThatCode(() -> SharedOptions.requireSame(tasks, Settings.NONE.with("rpm", 70)))
        .doesNotThrowAnyException();
  }

  @Test
  void oneThatSaysNothingDoesNotSayTheSame() {
    List<TaskDefinition> tasks =
        List.of(task("a", "sim/x,sim/y", "epochs", 2), task("b", "sim/y", "max_retries", 3));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> SharedOptions.requireSame(tasks, Settings.NONE))
        .withMessageStartingWith("`max_retries` holds for all calls to sim/y")
        .withMessageContaining("a says nothing");
  }

  @Test
  void tasksOfOtherModelsMayDiffer() {
    List<TaskDefinition> tasks =
        List.of(task("a", "sim/x", "rpm", 50), task("b", "sim/y", "rpm", 60));
    assertThatCode(() -> SharedOptions.requireSame(tasks, Settings.NONE))
        .doesNotThrowAnyException();
  }

  @Test
  void whatHoldsForAllTasksMayNotDifferWhateverTheModel() {
    List<TaskDefinition> tasks =
        List.of(task("a", "sim/x", "max_cost", 1), task("b", "sim/y", "max_cost", 2));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> SharedOptions.requireSame(tasks, Settings.NONE))
        .withMessageContaining("`max_cost` holds for all tasks of an evaluation");
  }
}

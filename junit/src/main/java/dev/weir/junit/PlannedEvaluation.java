package dev.weir.junit;

import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.Host;
import dev.weir.eval.ThresholdMetrics;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.source.TaskSource;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.MissingCredentialException;
import dev.weir.time.Time;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/**
 * One task on one model.
 *
 * @param settings that win over those of the task
 * @param testMethod what Maven calls the test, to run it again
 */
record PlannedEvaluation(
    TaskDefinition task,
    TaskSource source,
    String model,
    Settings settings,
    Host host,
    Instructions instructions,
    String testMethod) {

  private static final Path LOG_DIR = Path.of("target", "weir-logs");

  /**
   * Every task on every model.
   *
   * @throws ConfigurationException if there is none
   */
  static List<PlannedEvaluation> plan(Instructions instructions, Host host, String testMethod) {
    Settings given = instructions.below(host.environment());
    var input =
        new TaskInput(
            RunOptions.parse(given).samples().arguments(),
            host.environment(),
            // Surefire talks to its tests through the standard input.
            InputStream::nullInputStream);
    List<PlannedEvaluation> plan = new ArrayList<>();
    TaskSources.loadEach(instructions.spec(), input)
        .forEach(
            (source, tasks) -> {
              for (TaskDefinition task : tasks) {
                for (String model : models(task, given)) {
                  Settings settings = given.with("model", model);
                  plan.add(
                      new PlannedEvaluation(
                          task,
                          source,
                          model,
                          logged(settings, task),
                          host,
                          instructions,
                          testMethod));
                }
              }
            });
    return plan;
  }

  private static List<String> models(TaskDefinition task, Settings given) {
    List<String> models = RunOptions.parse(given.orElse(task.settings())).model();
    if (models.isEmpty()) {
      throw new ConfigurationException(
          "%s: no model is given; set `model` of @Evaluation, WEIR_MODEL, or the model of the task"
              .formatted(task.name()));
    }
    return models.stream().distinct().toList();
  }

  private static Settings logged(Settings given, TaskDefinition task) {
    return given.orElse(task.settings()).word("log-dir").isPresent()
        ? given
        : given.with("log_dir", LOG_DIR);
  }

  String name() {
    return "%s on %s".formatted(task.name(), model);
  }

  /**
   * Evaluates, and checks the thresholds.
   *
   * @throws ConfigurationException before the first call, if anything cannot be used
   * @throws AssertionError if one does not hold, or the evaluation failed
   */
  EvaluationResult run() {
    ThresholdMetrics.check(
        task,
        instructions.thresholds().stream().map(Threshold::metric).toList(),
        "`threshold` of @Evaluation");
    FinishedRun finished = evaluate();
    var result = new EvaluationResult(finished.result(), finished.file());
    Optional<String> failure = failure(finished);
    List<Threshold> missed =
        thresholds().stream().filter(one -> one.problem(result).isPresent()).toList();
    if (failure.isPresent() || !missed.isEmpty()) {
      throw new AssertionError(
          new FailureReport(name(), failure, missed, result, again(finished.result())).text());
    }
    return result;
  }

  private FinishedRun evaluate() {
    try {
      return dev.weir.eval.Evaluation.prepare(Time.system(), List.of(task), settings, host)
          .run()
          .runs()
          .getFirst();
    } catch (MissingCredentialException missing) {
      if (instructions.skipWithoutCredentials()) {
        Assumptions.abort(String.valueOf(missing.getMessage()));
      }
      throw missing;
    }
  }

  /** Those of the annotation, and those that are options; there, a number is the least. */
  private List<Threshold> thresholds() {
    List<Threshold> thresholds = new ArrayList<>(instructions.thresholds());
    RunOptions.parse(settings.orElse(task.settings()))
        .budget()
        .thresholds()
        .forEach((metric, least) -> thresholds.add(new Threshold(metric, ">=", least)));
    return thresholds;
  }

  private static Optional<String> failure(FinishedRun finished) {
    RunResult result = finished.result();
    return switch (result.status()) {
      case SUCCESS -> finished.notWritten().map("the log could not be written: "::concat);
      case ERROR -> Optional.of("the evaluation failed: " + result.error().orElse("unknown error"));
      case CANCELLED ->
          Optional.of("the evaluation was stopped: " + result.stopped().orElse("interrupted"));
    };
  }

  /** What brings the same result again; what is given to a model may be a credential. */
  private String again(RunResult result) {
    if (source.kind() == TaskSource.Kind.CLASS) {
      return "WEIR_SEED=%d mvn test -Dtest='%s'".formatted(result.start().seed(), testMethod);
    }
    var command = new StringBuilder("weir eval " + quoted(source.spec()));
    for (Option option : Options.all()) {
      boolean shown =
          !List.of("model-args", "model-base-url", "log-dir", "seed").contains(option.name());
      settings
          .setting(option)
          .filter(_ -> shown)
          .ifPresent(
              set -> command.append(" --%s=%s".formatted(option.name(), quoted(set.word()))));
    }
    return command.append(" --seed=").append(result.start().seed()).toString();
  }

  private static String quoted(String word) {
    return word.matches("[\\w./:,=@+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Variables may be credentials. */
  @Override
  public String toString() {
    return name();
  }
}

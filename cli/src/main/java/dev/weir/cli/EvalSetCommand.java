package dev.weir.cli;

import dev.weir.eval.EvalSet;
import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.ThresholdMetrics;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir eval-set}: runs what a directory of logs lacks. */
@Command(
    name = "eval-set",
    description = {
      "Run a set of tasks, skipping what is already done.",
      "",
      "The directory is theirs alone. The same command again runs what is missing there: runs that"
          + " are complete are skipped, others go on where they ended; with one more task, model or"
          + " epoch, just that is run.",
      "",
      "Runs that fail are resumed at once, unless the provider has rejected the credential or the"
          + " account permanently."
    },
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir eval-set capitals.yaml sums.yaml --model openai/gpt-5.6-terra --log-dir logs/june",
      "  weir eval-set tasks/ --model openai/gpt-5.6-terra,anthropic/claude-sonnet-5-5 --log-dir"
          + " logs/june",
      "  weir eval-set capitals.yaml --log-dir logs/june --epochs 3 --retry-attempts 2"
    })
final class EvalSetCommand implements Callable<Integer> {

  private static final int MOST_ATTEMPTS = 1_000;

  @Parameters(
      arity = "1..*",
      paramLabel = "TASK",
      description = "Tasks, as weir eval takes them: files, classes, directories.")
  private List<String> tasks = List.of();

  @Option(
      names = "--retry-attempts",
      paramLabel = "N",
      description = "Retry a failed run at most N times. Default: 10.")
  private @Nullable Long retryAttempts;

  @Option(
      names = "--log-dir-allow-dirty",
      description = "Allow logs in the directory that are not of the set. Default: false.")
  private @Nullable Boolean allowDirty;

  @Option(
      names = "--no-retry-cleanup",
      description =
          "Keep the logs of failed runs; without it they are removed when a later run has all that"
              + " is in them and has ended well. Default: false.")
  private @Nullable Boolean noCleanup;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ShownOptions shownOptions = new ShownOptions();

  private final RunFlags flags = new RunFlags();
  private final Surroundings surroundings;
  private final Environment environment;

  EvalSetCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  /** The command with the options of a run. */
  static CommandLine commandLine(Surroundings surroundings) {
    var command = new EvalSetCommand(surroundings);
    var commandLine = new CommandLine(command);
    command.flags.addTo(commandLine.getCommandSpec());
    return commandLine;
  }

  @Override
  public Integer call() throws Exception {
    ShownOptions.Chosen chosen = shownOptions.chosen(environment);
    UnknownVariables.in(surroundings.environment()).forEach(this::tell);
    Settings settings = flags.settings(surroundings.environment());
    List<TaskDefinition> read = load(settings);
    read.forEach(task -> ThresholdMetrics.check(task, settings));
    var log = new LiveLog(surroundings);
    try (EvalSet set = EvalSet.prepare(surroundings.time(), read, settings, host(log), rules())) {
      return run(set, chosen.run(surroundings, log));
    }
  }

  private int run(EvalSet set, ShownRun shown) throws Exception {
    set.notes().forEach(this::tell);
    if (set.complete() > 0) {
      tell(
          set.complete() == 1
              ? "1 run is complete already"
              : "%d runs are complete already".formatted(set.complete()));
    }
    Optional<Evaluation> evaluation = set.evaluation();
    return evaluation.isPresent()
        ? shown.run(
            evaluation.get(),
            ended -> set.finish(Optional.of(ended)),
            Resumption.repeated(spec, surroundings.environment()))
        : shown.tell(
            set.finish(Optional.empty()),
            ResultTable.UNBOUNDED,
            Resumption.repeated(spec, surroundings.environment()));
  }

  private EvalSet.Rules rules() {
    long attempts =
        environment
            .orElse(retryAttempts, "WEIR_RETRY_ATTEMPTS", Values::whole)
            .orElse((long) EvalSet.Rules.DEFAULTS.attempts());
    if (attempts < 0 || attempts > MOST_ATTEMPTS) {
      throw new ConfigurationException(
          "--retry-attempts must be from 0 to %d".formatted(MOST_ATTEMPTS));
    }
    return new EvalSet.Rules(
        (int) attempts,
        environment.flag(allowDirty, "WEIR_LOG_DIR_ALLOW_DIRTY"),
        !environment.flag(noCleanup, "WEIR_NO_RETRY_CLEANUP"));
  }

  private List<TaskDefinition> load(Settings settings) {
    var input =
        new TaskInput(
            RunOptions.parse(settings).samples().arguments(),
            surroundings.variablesForModels(),
            TaskInput.NO_STDIN);
    if (tasks.stream().anyMatch(String::isBlank)) {
      throw new ConfigurationException("TASK must not be empty; give a path");
    }
    return tasks.stream().flatMap(spec -> TaskSources.load(spec, input).stream()).toList();
  }

  private void tell(String sentence) {
    surroundings.err().println("weir: " + Printable.line(sentence));
  }

  /** The variables of the process, and over them what configurations of promptfoo say. */
  private Host host(LiveLog log) {
    Map<String, String> variables =
        tasks.stream()
            .reduce(
                surroundings.variablesForModels(),
                (known, spec) -> TaskSources.environment(spec, known),
                (first, _) -> first);
    return new Host(variables, TraceDirectory.of(variables), log)
        .withMetrics(MetricsEndpoint.of(surroundings, log::say))
        .withMemory(MemoryUse.BY_DEFAULT)
        .watched(surroundings.terminal());
  }
}

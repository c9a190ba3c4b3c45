package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.option.Settings;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir eval-retry}: goes on with the run of a log. */
@Command(
    name = "eval-retry",
    description = {
      "Resume runs that were cancelled, failed or killed: reuse finished samples, run the rest, and"
          + " write a new log.",
      "",
      "Settings are those of the log, unless others are given."
    },
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir eval-retry logs/LOG.eval",
      "  weir eval-retry logs/LOG.journal        # left by a run that was killed",
      "  weir eval-retry logs/LOG.eval --max-connections 3 --retry-on-error",
      "  weir eval-retry logs/LOG.eval --epochs 3   # only the new repetitions are run",
      "  weir eval-retry inspect/LOG.eval --task capitals.yaml   # a log of Inspect's"
    })
final class RetryCommand implements Callable<Integer> {

  @Parameters(
      arity = "1..*",
      paramLabel = "LOG",
      description = "Logs (.eval, .json), or journals of runs that were killed.")
  private List<Path> logs = List.of();

  @Option(
      names = "--task",
      paramLabel = "TASK",
      description =
          "Where the task of the logs is now: a file, or FILE@NAME. Default: where it was.")
  private @Nullable String task;

  @Option(
      names = "--again",
      description =
          "Resume a log that a later one has already resumed, or a copy that was made during its"
              + " run; samples of the later log are run, and paid for, again. Default: false.")
  private @Nullable Boolean again;

  @Mixin private final ShownOptions shownOptions = new ShownOptions();

  private static final List<Integer> WORST_FIRST =
      List.of(ExitCode.INTERRUPTED, ExitCode.REFUSED, ExitCode.FAILED, ExitCode.USAGE);

  private final RunFlags flags = new RunFlags();
  private final Surroundings surroundings;
  private final Environment environment;

  RetryCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  /** The command with the options of a run. */
  static CommandLine commandLine(Surroundings surroundings) {
    var command = new RetryCommand(surroundings);
    var commandLine = new CommandLine(command);
    command.flags.addTo(commandLine.getCommandSpec());
    return commandLine;
  }

  @Override
  public Integer call() throws Exception {
    ShownOptions.Chosen chosen = shownOptions.chosen(environment);
    if (chosen.report().isPresent() && logs.size() > 1) {
      throw new ConfigurationException("--junit takes the result of one log; give them one by one");
    }
    Settings settings = flags.settings(surroundings.environment());
    Optional<String> source = environment.orElse(task, "WEIR_TASK", word -> word);
    Set<Integer> codes = new HashSet<>();
    for (Path path : logs) {
      var log = new LiveLog(surroundings);
      var shown = chosen.run(surroundings, log);
      try {
        codes.add(retry(path, source, settings, log, shown));
      } catch (ConfigurationException unusable) {
        if (logs.size() == 1) {
          throw unusable;
        }
        // The others can still go on.
        tell(String.valueOf(unusable.getMessage()));
        codes.add(ExitCode.USAGE);
      }
      if (codes.contains(ExitCode.INTERRUPTED)) {
        break;
      }
    }
    return WORST_FIRST.stream().filter(codes::contains).findFirst().orElse(ExitCode.SUCCESS);
  }

  private int retry(
      Path path, Optional<String> source, Settings settings, LiveLog log, ShownRun shown)
      throws Exception {
    Time time = surroundings.time();
    Host host = host(log);
    Evaluation evaluation;
    if (environment.flag(again, "WEIR_AGAIN")) {
      evaluation =
          source.isPresent()
              ? Evaluation.retryAgain(time, path, source.get(), settings, host)
              : Evaluation.retryAgain(time, path, settings, host);
    } else {
      evaluation =
          source.isPresent()
              ? Evaluation.retry(time, path, source.get(), settings, host)
              : Evaluation.retry(time, path, settings, host);
    }
    Optional<Evaluation.FinishedRun> unchanged = evaluation.unchanged();
    if (unchanged.isPresent()) {
      tell("%s is complete: there is nothing to retry".formatted(path));
      return shown.tell(
          new Evaluation.Finished(List.of(unchanged.get())),
          surroundings.columns(),
          new Resumption.WithRetry());
    }
    evaluation.keptFrom().forEach(this::tell);
    return shown.run(evaluation);
  }

  private void tell(String sentence) {
    surroundings.err().println("weir: " + Printable.line(sentence));
  }

  private Host host(LiveLog log) {
    Map<String, String> variables = surroundings.variablesForModels();
    return new Host(variables, TraceDirectory.of(variables), log)
        .withMetrics(MetricsEndpoint.of(surroundings, log::say))
        .withMemory(MemoryUse.BY_DEFAULT)
        .watched(surroundings.terminal());
  }
}

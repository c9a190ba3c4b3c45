package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.Printable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir eval-retry}: goes on with the run of a log. */
@Command(
    name = "eval-retry",
    description = {
      "Goes on with runs that were cancelled, failed or killed: keeps what is finished, runs the"
          + " rest, and writes a new log.",
      "",
      "Settings are those of the log, unless others are given."
    },
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir eval-retry logs/LOG.eval",
      "  weir eval-retry logs/LOG.journal        # left by a run that was killed",
      "  weir eval-retry logs/LOG.eval --max-connections 3 --retry-on-error",
      "  weir eval-retry logs/LOG.eval --epochs 3   # only the new repetitions are run"
    })
final class RetryCommand implements Callable<Integer> {

  @Parameters(
      arity = "1..*",
      paramLabel = "LOG",
      description = "Logs (.eval, .json), or journals of runs that were killed.")
  private List<Path> logs = List.of();

  @Option(
      names = "--json",
      description = "Print one JSON document instead of a table. Default: false.")
  private @Nullable Boolean json;

  @Option(
      names = "--display",
      paramLabel = "MODE",
      description =
          "How to show the run while it goes on: full (tables that move, on a terminal), plain (a"
              + " line now and then) or none. Default: full on a terminal, else plain.")
  private @Nullable DisplayMode display;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "Write the results as JUnit XML, too; with one log.")
  private @Nullable Path junit;

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
    boolean asJson = environment.flag(json, "WEIR_JSON");
    DisplayMode mode =
        environment.orElse(display, "WEIR_DISPLAY", DisplayMode::parse).orElse(DisplayMode.FULL);
    Optional<JUnitReport> report =
        environment.orElse(junit, "WEIR_JUNIT", Values::path).map(JUnitReport::new);
    Settings settings = flags.settings(surroundings.environment());
    int worst = ExitCode.SUCCESS;
    for (Path path : logs) {
      var log = new LiveLog(surroundings);
      Evaluation evaluation = Evaluation.retry(surroundings.time(), path, settings, host(log));
      evaluation
          .keptFrom()
          .ifPresent(told -> surroundings.err().println("weir: " + Printable.line(told)));
      int code = new ShownRun(surroundings, log, mode, asJson, report).run(evaluation);
      worst = code == ExitCode.SUCCESS ? worst : code;
      if (code == ExitCode.INTERRUPTED) {
        return code;
      }
    }
    return worst;
  }

  private Host host(LiveLog log) {
    Map<String, String> variables = surroundings.variablesForModels();
    return new Host(variables, TraceDirectory.of(variables), log);
  }
}

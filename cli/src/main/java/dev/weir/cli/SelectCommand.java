package dev.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.cli.carriers.Carriers;
import dev.weir.eval.Host;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.option.SelectionOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.select.ModelSelection;
import dev.weir.eval.select.SelectionFindings;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir select}: finds the best combination of models. */
@Command(
    name = "select",
    description = {
      "Find the best models for the steps of a task, with far fewer evaluations than all"
          + " combinations on all samples need, and report how sure that is.",
      "",
      "Each outcome is journalled: the same command again resumes where it was ended, and pays for"
          + " nothing twice.",
      "",
      "FILE names a task and the candidates for each of its steps; `model` is the evaluated model:",
      "",
      "  task: agents.yaml",
      "  nodes:",
      "    planner: [openai/gpt-5.6-terra, openai/gpt-5.6-luna]",
      "    model: [openai/gpt-5.6-terra, anthropic/claude-sonnet-5-5]",
      "  budget: 25%%"
    },
    optionListHeading =
        "%nOptions (also as keys of the file, with underscores: max_concurrent; but --json,"
            + " --display, --csv, --html, --export-config, --overwrite and --debug belong to the"
            + " command line and the environment):%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir select examples/select-agents.yaml",
      "  weir select agents.yaml --selector auto --max-concurrent 20 --budget 25%% --seed 1",
      "  weir select agents.yaml --objective cheapest --within 0.02 --export-config best.yaml",
      "  weir select agents.yaml --html report.html",
      "  weir select agents.yaml --budget '$5,30m' --json"
    })
final class SelectCommand implements Callable<Integer> {

  /** After an interrupt it has so long to end cleanly; each outcome is durable before that. */
  @Parameters(
      arity = "1",
      paramLabel = "FILE",
      description = "Which models to choose from, for which task; see docs/selection.md.")
  private Path file = Path.of("");

  @Option(names = "--json", description = "Print one JSON document. Default: false.")
  private @Nullable Boolean json;

  @Option(
      names = "--display",
      paramLabel = "MODE",
      description =
          "How to show a running selection: full (live progress, on a terminal),"
              + " plain (a line now and then) or none. Default: full on a terminal, else plain;"
              + " none with --json.")
  private @Nullable DisplayMode display;

  @Option(names = "--csv", paramLabel = "FILE", description = "Write the ranking as CSV, too.")
  private @Nullable Path csv;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a report with plots as one page that needs nothing else, too.")
  private @Nullable Path html;

  @Option(
      names = "--export-config",
      paramLabel = "FILE",
      description =
          "Write the models of the winner, or of the best found, as options for a task file;"
              + " nothing if no combination was found.")
  private @Nullable Path export;

  @Option(
      names = "--overwrite",
      description = "Replace files that are there with those to write. Default: false.")
  private boolean overwrite;

  @Spec private @Nullable CommandSpec spec;

  private final RunFlags flags = RunFlags.ofSelection();
  private final Surroundings surroundings;
  private final Environment environment;

  SelectCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  /** The command with the options of a selection and of its runs. */
  static CommandLine commandLine(Surroundings surroundings) {
    var command = new SelectCommand(surroundings);
    var commandLine = new CommandLine(command);
    command.flags.addTo(commandLine.getCommandSpec());
    return commandLine;
  }

  /**
   * What is made of the result.
   *
   * @param config where the models of the winner are written
   */
  private record Wanted(
      boolean json,
      DisplayMode display,
      Optional<Path> csv,
      Optional<Path> html,
      Optional<Path> config) {}

  @Override
  public Integer call() throws Exception {
    var wanted =
        new Wanted(
            environment.flag(json, "WEIR_JSON"),
            environment
                .orElse(display, "WEIR_DISPLAY", DisplayMode::parse)
                .orElse(DisplayMode.FULL),
            writable(csv, "WEIR_CSV"),
            writable(html, "WEIR_HTML"),
            writable(export, "WEIR_EXPORT_CONFIG"));
    UnknownVariables.in(surroundings.environment()).forEach(this::tell);
    Settings settings = flags.settings(surroundings.environment());
    SelectionOptions.requireReadable(settings);
    Map<String, String> variables = surroundings.variablesForModels();
    var log = new LiveLog(surroundings);
    var host =
        new Host(variables, TraceDirectory.of(variables), log)
            .withMetrics(MetricsEndpoint.of(surroundings, log::say))
            .withMemory(MemoryUse.BY_DEFAULT)
            .watched(surroundings.terminal());
    ModelSelection selection = ModelSelection.prepare(surroundings.time(), file, settings, host);
    log.show(selection.logLevel());
    return run(selection, log, wanted);
  }

  private int tell(ModelSelection selection, Shown shown, Wanted wanted) {
    SelectionFindings found = shown.found();
    var report = new SelectionReport(found);
    surroundings
        .out()
        .print(wanted.json() ? report.json() : report.text(shown.columns(), resumption(wanted)));
    surroundings.out().flush();
    wanted.csv().ifPresent(path -> write(path, out -> out.write(report.csv())));
    wanted.html().ifPresent(path -> write(path, out -> new SelectionPage(found, out).write()));
    if (found.result().winner().isPresent()) {
      int winner = found.result().winner().getAsInt();
      wanted
          .config()
          .ifPresent(
              path ->
                  write(
                      path,
                      out -> out.write(SelectionReport.config(selection.configuration(winner)))));
    } else {
      wanted
          .config()
          .ifPresent(path -> tell("no combination was found, so nothing was written to " + path));
    }
    return code(found);
  }

  /** Reports are written even if the selection ended early, and would be in the way. */
  private String resumption(Wanted wanted) {
    boolean writes = wanted.csv().isPresent() || wanted.html().isPresent();
    return Resumption.repeated(spec, surroundings.environment()).command()
        + (writes && !overwrite ? " --overwrite" : "");
  }

  private static int code(SelectionFindings found) {
    if (found.interrupted()) {
      return ExitCode.INTERRUPTED;
    }
    return found.result().winner().isPresent() ? ExitCode.SUCCESS : ExitCode.FAILED;
  }

  private int run(ModelSelection selection, LiveLog log, Wanted wanted) throws Exception {
    Time time = surroundings.time();
    Task<SelectionFindings> running = time.start("selection", () -> selection.run(_ -> {}));
    try (var _ = Carriers.fitted();
        var _ = Hangup.reloads(selection::reloadEngineLimits);
        var _ = CleanEnd.of(time, running, Resumption.repeated(spec, surroundings.environment()))) {
      try {
        return tell(selection, shown(selection, running, log, wanted), wanted);
      } finally {
        // Before the process may end.
        surroundings.out().flush();
        surroundings.err().flush();
      }
    } catch (TaskFailedException failed) {
      if (failed.getCause() instanceof ConfigurationException wrong) {
        throw wrong;
      }
      throw failed;
    }
  }

  /**
   * What was shown until it ended.
   *
   * @param columns of the terminal; very many if there is none
   */
  private record Shown(SelectionFindings found, int columns) {}

  private Shown shown(
      ModelSelection selection, Task<SelectionFindings> running, LiveLog log, Wanted wanted)
      throws InterruptedException {
    var subject = new ShownSelection(selection, surroundings.colours());
    DisplayMode mode = wanted.json() ? DisplayMode.NONE : wanted.display();
    try (var display = Display.start(surroundings, subject, mode, wanted.json())) {
      log.beside(display);
      SelectionFindings found = running.join();
      return new Shown(found, display.columns());
    }
  }

  /** Better to know before anything is paid for. */
  private Optional<Path> writable(@Nullable Path given, String variable) {
    Optional<Path> wanted = environment.orElse(given, variable, Values::path);
    if (wanted.isPresent()) {
      Path file = wanted.get().toAbsolutePath();
      Path directory = file.getParent();
      if (directory == null || !Files.isDirectory(directory)) {
        throw new ConfigurationException(
            "there is no directory to write %s into".formatted(wanted.get()));
      }
      if (Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : directory)) {
        throw new ConfigurationException("%s cannot be written".formatted(wanted.get()));
      }
      if (Files.exists(file) && !overwrite) {
        throw new ConfigurationException(
            "%s already exists; --overwrite replaces it".formatted(wanted.get()));
      }
    }
    return wanted;
  }

  /** Writes into a file. */
  private interface Writing {
    void into(Writer out) throws IOException;
  }

  private static void write(Path path, Writing writing) {
    // Half a character becomes a question mark; a stricter writer would fail.
    try (Writer out =
        new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(path), UTF_8))) {
      writing.into(out);
    } catch (IOException unwritable) {
      throw new ConfigurationException(
          "%s cannot be written (%s); the same command again writes it, and pays for nothing"
              .formatted(path, unwritable),
          unwritable);
    }
  }

  private void tell(String sentence) {
    surroundings.err().println("weir: " + Printable.line(sentence));
  }
}

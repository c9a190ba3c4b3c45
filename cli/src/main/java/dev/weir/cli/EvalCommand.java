package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.ThresholdMetrics;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.LogRecovery;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.price.PriceTable;
import dev.weir.simulator.server.Profile;
import dev.weir.time.Time;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir eval}: runs a task against a model. */
@Command(
    name = "eval",
    description = "Run tasks against models and report scores.",
    optionListHeading =
        "%nOptions (also as keys of the task file, with underscores: log_dir; but --json,"
            + " --display, --junit, --dry-run, --rehearse, --show-config and --debug belong to the"
            + " command line and the environment):%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir eval examples/capitals.yaml",
      "  weir eval examples/capitals.yaml --limit 10 --max-connections 2",
      "  weir eval examples/capitals.yaml --model openai/gpt-5.6-luna --cache",
      "  weir eval examples/capitals.yaml --model ollama/llama3.2 --self-hosted",
      "  weir eval examples/capitals.yaml --model anthropic/claude-sonnet-5-5 --batch",
      "  weir eval examples/capitals.yaml --model openai/gpt-5.6-terra,anthropic/claude-sonnet-5-5",
      "  weir eval examples/capitals.yaml --model openai/gpt-5.6-terra --dry-run",
      "  weir eval examples/capitals.yaml --model openai/gpt-5.6-terra --rehearse openai-tier-1",
      "  weir eval examples/capitals.yaml --epochs 3 --fail-on-error=0.1 --retry-on-error",
      "  weir eval examples/capitals.yaml --threshold accuracy=0.8 --junit results.xml",
      "  weir eval examples/capitals.yaml --rpm 500 --tpm 200000",
      "  weir eval examples/capitals.yaml -M accuracy=0.6,latency=1s",
      "  weir eval examples/capitals.yaml --seed 7 --json | jq '.metrics.accuracy'"
    })
final class EvalCommand implements Callable<Integer> {

  @Parameters(
      arity = "1..*",
      paramLabel = "TASK",
      description =
          "Tasks: files (.yaml, .java, .jar), a class, a directory of them, or a"
              + " promptfooconfig.yaml; FILE@NAME for one of several.")
  private List<String> tasks = List.of();

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--show-config",
      description =
          "Print the options that tasks would run with and where each is from; run nothing.")
  private @Nullable Boolean showConfig;

  @Mixin private final DryRunFlag dryRun = new DryRunFlag();

  @Option(
      names = "--rehearse",
      paramLabel = "PROFILE",
      description =
          "Run on virtual time against a simulated tier, such as openai-tier-1, and report how long"
              + " it takes, how often it is refused, and what limits it; weir simulate"
              + " --list-profiles lists them. Nothing is sent.")
  private @Nullable String rehearse;

  @Mixin private final ShownOptions shownOptions = new ShownOptions();

  /** A new run waits for a second or two at most until old journals have become logs. */
  private static final LogRecovery.Bound SHORT_RECOVERY =
      new LogRecovery.Bound(8L << 20, Duration.ofSeconds(1));

  private final RunFlags flags = new RunFlags();
  private final Surroundings surroundings;
  private final Environment environment;

  EvalCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  /** The command with the options of a run. */
  static CommandLine commandLine(Surroundings surroundings) {
    var command = new EvalCommand(surroundings);
    var commandLine = new CommandLine(command);
    command.flags.addTo(commandLine.getCommandSpec());
    return commandLine;
  }

  @Override
  public Integer call() throws Exception {
    Time time = surroundings.time();
    ShownOptions.Chosen chosen = shownOptions.chosen(environment);
    UnknownVariables.in(surroundings.environment())
        .forEach(problem -> surroundings.err().println("weir: " + problem));
    var log = new LiveLog(surroundings);
    Settings settings = flags.settings(surroundings.environment());
    // Before anything else is done, even if it is not to be used: wherever a word stands, it is
    // looked at.
    Optional<Profile> profile = profile();
    boolean isDryRun = dryRun.isSet(environment);
    boolean isShown = environment.flag(showConfig, "WEIR_SHOW_CONFIG");
    List<TaskDefinition> read = load(settings);
    read.forEach(task -> ThresholdMetrics.check(task, settings));
    if (isShown) {
      return showConfig(read, settings, chosen.asJson());
    }
    if (profile.isPresent() || isDryRun) {
      return rehearse(read, settings, profile, chosen.asJson());
    }
    Evaluation evaluation = Evaluation.prepare(time, read, settings, host(log));
    recover(read, settings);
    return chosen.run(surroundings, log).run(evaluation);
  }

  private Optional<Profile> profile() {
    try {
      return environment.orElse(rehearse, "WEIR_REHEARSE", word -> word).map(Profile::named);
    } catch (ConfigurationException unknown) {
      throw new ConfigurationException(
          "%s: %s"
              .formatted(rehearse == null ? "WEIR_REHEARSE" : "--rehearse", unknown.getMessage()),
          unknown);
    }
  }

  /** What runs that were killed have left beside the new log becomes a log first. */
  private void recover(List<TaskDefinition> read, Settings settings) {
    read.stream()
        .map(task -> RunOptions.parse(settings.orElse(task.settings())).logDir())
        .map(directory -> directory.orElse(Evaluation.DEFAULT_LOG_DIR))
        .distinct()
        .forEach(
            directory ->
                LogRecovery.recoverOwn(
                    surroundings.time(),
                    directory,
                    SHORT_RECOVERY,
                    told -> surroundings.err().println("weir: " + Printable.line(told))));
  }

  /** What is read is gone: a second task would find nothing. */
  private static Supplier<InputStream> onlyOnce() {
    var isTaken = new AtomicBoolean();
    return () -> {
      if (isTaken.getAndSet(true)) {
        throw new ConfigurationException(
            "standard input is the dataset of another task already, and can be read only once; give"
                + " this one a file");
      }
      return System.in;
    };
  }

  private List<TaskDefinition> load(Settings settings) {
    var input =
        new TaskInput(
            RunOptions.parse(settings).samples().arguments(),
            surroundings.variablesForModels(),
            onlyOnce());
    if (tasks.stream().anyMatch(String::isBlank)) {
      throw new ConfigurationException("TASK must not be empty; give a path");
    }
    tasks.stream()
        .filter(spec -> spec.matches("[\\d.]+[a-z%]?|true|false") && !Files.exists(Path.of(spec)))
        .findFirst()
        .ifPresent(
            word -> {
              throw new ConfigurationException(
                  ("%s: there is no such file; the value of an option that may stand alone is"
                          + " attached with =, as in %s=%s")
                      .formatted(word, optionBefore(word), word));
            });
    return tasks.stream().flatMap(spec -> TaskSources.load(spec, input).stream()).toList();
  }

  /** What was probably meant to have that value. */
  private String optionBefore(String word) {
    List<String> words =
        spec == null ? List.of() : spec.root().commandLine().getParseResult().originalArgs();
    int at = words.indexOf(word);
    String before = at < 1 ? "" : words.get(at - 1);
    return before.startsWith("--") ? before : "--retry-on-error";
  }

  private int showConfig(List<TaskDefinition> read, Settings settings, boolean asJson) {
    read.forEach(task -> requirePrices(settings.orElse(task.settings())));
    var table =
        new ConfigTable(
            read,
            settings,
            new Secrets(surroundings.environment()),
            shownOptions.lines(surroundings.environment()));
    if (asJson) {
      surroundings.out().println(table.json());
    } else {
      table.print(surroundings.out());
    }
    return ExitCode.SUCCESS;
  }

  /** A run would read them, and tell what is wrong. */
  private static void requirePrices(Settings settings) {
    Optional<Path> file = RunOptions.parse(settings).models().prices();
    var _ = settings.using("prices", () -> file.map(PriceTable::read));
  }

  private int rehearse(
      List<TaskDefinition> read, Settings settings, Optional<Profile> profile, boolean asJson)
      throws Exception {
    RehearsalReport report =
        new RehearsedRun(read, settings, profile, surroundings.variablesForModels()).run();
    report.warnings().forEach(warning -> surroundings.err().println("weir: " + warning));
    if (asJson) {
      surroundings.out().println(report.json());
    } else {
      report.print(surroundings.out());
    }
    return report.isClean() ? ExitCode.SUCCESS : ExitCode.FAILED;
  }

  /** Those of the process, and over them what configurations of promptfoo say. */
  private Map<String, String> variables() {
    return tasks.stream()
        .reduce(
            surroundings.variablesForModels(),
            (variables, spec) -> TaskSources.environment(spec, variables),
            (first, _) -> first);
  }

  private Host host(LiveLog log) {
    Map<String, String> variables = variables();
    return new Host(variables, TraceDirectory.of(variables), log)
        .withMetrics(MetricsEndpoint.of(surroundings, log::say))
        .withMemory(MemoryUse.BY_DEFAULT)
        .watched(surroundings.terminal());
  }
}

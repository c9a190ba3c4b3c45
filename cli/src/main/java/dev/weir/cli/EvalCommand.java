package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.task.TaskOptions;
import dev.weir.log.ResultFile;
import dev.weir.log.RunResult;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.time.Completion;
import dev.weir.time.Shutdown;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code weir eval}: runs a task against a model. */
@Command(
    name = "eval",
    description = "Runs the task of a file against a model, and tells how well it did.",
    optionListHeading =
        "%nOptions (also as keys of the task file, with underscores: log_dir; but --json and"
            + " --debug belong to the command line and the environment):%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir eval examples/capitals.yaml",
      "  weir eval examples/capitals.yaml --limit 10 --max-connections 2",
      "  weir eval examples/capitals.yaml --model openai/gpt-4o-mini --cache",
      "  weir eval examples/capitals.yaml --model ollama/llama3.2 --self-hosted",
      "  weir eval examples/capitals.yaml --model anthropic/claude-sonnet-4-5 --batch",
      "  weir eval examples/capitals.yaml --rpm 500 --tpm 200000",
      "  weir eval examples/capitals.yaml -M accuracy=0.6,latency=1s",
      "  weir eval examples/capitals.yaml --seed 7 --json | jq .metrics.accuracy"
    })
final class EvalCommand implements Callable<Integer> {

  /** After an interrupt, a run has so long to end cleanly. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);

  @Parameters(paramLabel = "TASK", description = "A task file (YAML).")
  private Path task = Path.of("");

  @Option(
      names = "--model",
      paramLabel = "PROVIDER/MODEL",
      description =
          "The model to evaluate, for example openai/gpt-4o; weir providers lists what it may begin"
              + " with. Default: the task file's.")
  private @Nullable String model;

  @Option(
      names = {"-M", "--model-args"},
      paramLabel = "KEY=VALUE",
      description =
          "An argument for the model's provider; may be repeated. For sim: accuracy, latency, rpm,"
              + " burst, headers, error-rate, credit; for others see docs/models.md.")
  private List<String> modelArguments = new ArrayList<>();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Evaluate only the first N samples. Default: all.")
  private @Nullable Integer limit;

  @Option(
      names = "--model-role",
      paramLabel = "ROLE=PROVIDER/MODEL",
      description =
          "A model for another part, such as grader=openai/gpt-4o; may be repeated. Default: the"
              + " evaluated model plays all parts.")
  private List<String> modelRoles = new ArrayList<>();

  @Mixin private ModelFlags models = new ModelFlags();

  @Mixin private LimitFlags limits = new LimitFlags();

  @Mixin private TraceFlags trace = new TraceFlags();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "The seed of every random choice: the same seed gives the same scores. Default: a fresh"
              + " one, which the result tells.")
  private @Nullable Long seed;

  @Option(
      names = "--log-dir",
      paramLabel = "DIR",
      description = "Where the result file is written. Default: ./logs.")
  private @Nullable Path logDir;

  @Option(
      names = "--json",
      description = "Print one JSON document instead of a table. Default: false.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;
  private final Environment environment;

  EvalCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  @Override
  public Integer call() throws Exception {
    Time time = surroundings.time();
    boolean asJson = environment.flag(json, "WEIR_JSON");
    var log = new LiveLog(surroundings);
    Evaluation evaluation = Evaluation.prepare(time, task, options(), host(log));
    log.show(evaluation.logLevel());
    var reported = new Completion<Boolean>(time, "the report of the run");
    Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
    try (var _ = Shutdown.onRequest(() -> endCleanly(running, reported))) {
      Evaluation.Finished finished;
      try (var display = Display.start(surroundings, evaluation, asJson)) {
        log.beside(display);
        finished = running.join();
      }
      report(finished, asJson);
      return exitCode(finished);
    } finally {
      surroundings.out().flush();
      surroundings.err().flush();
      reported.complete(true);
    }
  }

  private Host host(LiveLog log) {
    Map<String, String> variables = surroundings.variablesForModels();
    return new Host(variables, TraceDirectory.of(variables), log);
  }

  private TaskOptions options() {
    return new TaskOptions(
        environment.orElse(model, "WEIR_MODEL", Values::text),
        pairs("-M", modelArguments, "WEIR_MODEL_ARGS"),
        pairs("--model-role", modelRoles, "WEIR_MODEL_ROLE"),
        models.options(surroundings.environment()),
        environment.orElse(limit, "WEIR_LIMIT", Values::count),
        limits.options(surroundings.environment()),
        trace.options(surroundings.environment()),
        environment.orElse(seed, "WEIR_SEED", Values::whole),
        environment.orElse(logDir, "WEIR_LOG_DIR", Values::path));
  }

  /** Merged key by key, as those of the task file are afterwards. */
  private Map<String, String> pairs(String option, List<String> given, String variable) {
    Map<String, String> pairs = new LinkedHashMap<>();
    environment
        .<Map<String, String>>orElse(null, variable, words -> Values.arguments(List.of(words)))
        .ifPresent(pairs::putAll);
    try {
      pairs.putAll(Values.arguments(given));
    } catch (TypeConversionException wrong) {
      throw new ConfigurationException(option + " " + wrong.getMessage(), wrong);
    }
    return pairs;
  }

  private void endCleanly(Task<?> running, Completion<?> reported) {
    running.cancel();
    try {
      reported.await(surroundings.time().after(LAST_WORDS));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void report(Evaluation.Finished finished, boolean asJson) {
    if (asJson) {
      surroundings.out().println(ResultFile.summary(finished.result(), finished.file()));
    } else {
      new ResultTable(surroundings.out()).print(finished);
    }
    finished
        .notWritten()
        .ifPresent(
            why ->
                surroundings
                    .err()
                    .println("weir: the result could not be written: " + Printable.line(why)));
  }

  private static int exitCode(Evaluation.Finished finished) {
    return switch (finished.result().status()) {
      case RunResult.Status.SUCCESS ->
          finished.notWritten().isPresent() ? ExitCode.FAILED : ExitCode.SUCCESS;
      case RunResult.Status.CANCELLED -> ExitCode.INTERRUPTED;
      case RunResult.Status.ERROR ->
          finished.refusal().isPresent() ? ExitCode.REFUSED : ExitCode.FAILED;
    };
  }
}

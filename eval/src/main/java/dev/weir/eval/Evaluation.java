package dev.weir.eval;

import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.Progress;
import dev.weir.eval.run.Run;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.eval.task.TaskOptions;
import dev.weir.eval.task.TraceOptions.LogLevel;
import dev.weir.log.ResultFile;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Response;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * An evaluation that is ready to run: task, model and options have been checked.
 *
 * <pre>{@code
 * Evaluation evaluation =
 *     Evaluation.prepare(Time.system(), Path.of("capitals.yaml"), TaskOptions.NONE);
 * Evaluation.Finished finished = evaluation.run();
 * finished.result().metrics().get("accuracy");
 * }</pre>
 *
 * <p>Thread-safe; runs once.
 */
public final class Evaluation {

  public static final Path DEFAULT_LOG_DIR = Path.of("logs");

  private final TaskDefinition task;
  private final ModelName model;
  private final Path logDir;
  private final RunTrace trace;
  private final Models models;
  private final Run run;

  private Evaluation(
      TaskDefinition task, ModelName model, Path logDir, RunTrace trace, Models models, Run run) {
    this.task = task;
    this.model = model;
    this.logDir = logDir;
    this.trace = trace;
    this.models = models;
    this.run = run;
  }

  /** As {@link #prepare(Time, Path, TaskOptions, Host)}, with the variables of this process. */
  public static Evaluation prepare(Time time, Path taskFile, TaskOptions given) {
    return prepare(time, taskFile, given, Host.process());
  }

  /**
   * Reads the task, finds the models, and makes sure that the result can be written. Nothing is
   * written if the input is bad.
   *
   * @param given options that win over those in the task file
   * @throws ConfigurationException if anything cannot be used
   */
  public static Evaluation prepare(Time time, Path taskFile, TaskOptions given, Host host) {
    TaskDefinition read = TaskFile.read(taskFile);
    TaskOptions options = given.orElse(read.options());
    TaskDefinition task =
        new TaskDefinition(
            read.name(),
            options.limit().map(read.dataset()::first).orElse(read.dataset()),
            read.solvers(),
            read.scorer(),
            options);
    ModelName name =
        ModelName.parse(
            options
                .model()
                .orElseThrow(
                    () ->
                        new ConfigurationException(
                            "%s: no model is given; use --model provider/model or the key `model`"
                                .formatted(taskFile))));
    // Short enough to be typed again.
    long seed = options.seed().orElseGet(() -> time.freshSeed() >>> 40);
    String id = Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX);
    Path logDir = options.logDir().orElse(DEFAULT_LOG_DIR);
    var trace =
        new RunTrace(
            time,
            id,
            host.traceDirectory(),
            options.trace().traceBodies().orElse(false),
            host.watcher());
    var models = new Models(time, host.environment(), options, seed, trace);
    Map<String, PricedModel> roles = models.roles();
    PricedModel evaluated = models.evaluated(name, task.name(), logDir);
    prepareLogDir(logDir);
    return new Evaluation(
        task, name, logDir, trace, models, new Run(id, task, evaluated, roles, time, seed));
  }

  /**
   * Runs to the end and writes the result. Cancelling the calling task ends the run cleanly. A
   * result that cannot be written is still returned: it was paid for.
   */
  public Finished run() {
    try (trace;
        models) {
      trace.begin();
      RunResult result = run.run();
      Finished finished = written(result);
      if (result.status() == RunResult.Status.SUCCESS && finished.file().isPresent()) {
        models.finish();
      }
      models.cacheProblem().ifPresent(trace::warn);
      int uncollected = models.uncollected();
      if (uncollected > 0) {
        trace.warn(
            "%d requests are in batches at the provider, and their cost is not in the table; the"
                    .formatted(uncollected)
                + " same command picks them up again");
      }
      return finished;
    }
  }

  private Finished written(RunResult result) {
    try {
      // The directory may have gone since it was tried.
      ResultFile.prepare(logDir);
      Path file = ResultFile.write(logDir, result);
      return new Finished(result, Optional.of(file), Optional.empty(), run.refusal());
    } catch (IOException unwritable) {
      return new Finished(
          result, Optional.empty(), Optional.of(unwritable.toString()), run.refusal());
    }
  }

  public Progress progress() {
    return run.progress();
  }

  /** What is to be shown while it runs. */
  public LogLevel logLevel() {
    return task.options().trace().logLevel().orElse(LogLevel.WARNING);
  }

  public String taskName() {
    return task.name();
  }

  public ModelName model() {
    return model;
  }

  private static void prepareLogDir(Path logDir) {
    try {
      ResultFile.prepare(logDir);
    } catch (IOException unwritable) {
      throw new ConfigurationException(
          "the log directory %s cannot be written to (%s); choose another one with --log-dir"
              .formatted(
                  logDir, Files.isRegularFile(logDir) ? "it is a file" : unwritable.toString()),
          unwritable);
    }
  }

  /**
   * An evaluation that has ended.
   *
   * @param file where the result was written, if it could be
   * @param notWritten why it could not
   * @param refusal why the provider refused for good, if that ended the run
   */
  public record Finished(
      RunResult result,
      Optional<Path> file,
      Optional<String> notWritten,
      Optional<Response.Failure> refusal) {}
}

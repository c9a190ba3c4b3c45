package dev.weir.eval;

import dev.weir.eval.metric.Reducer;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.run.Budget;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.RunLog;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * An evaluation that is ready to run: tasks × models, all checked.
 *
 * <pre>{@code
 * Evaluation evaluation =
 *     Evaluation.prepare(Time.system(), Path.of("capitals.yaml"), Settings.NONE);
 * Evaluation.Finished finished = evaluation.run();
 * finished.result().metrics().get("accuracy");
 * }</pre>
 *
 * <p>Thread-safe; runs once.
 */
public final class Evaluation {

  public static final Path DEFAULT_LOG_DIR = Path.of("logs");

  private static final int DEFAULT_MAX_TASKS = 10;
  private static final int MOST_ATTEMPTS = 10_000_000;

  /** What a message names: an option, or an argument of a model. */
  private static final Pattern NAMED = Pattern.compile("(?:[`']|--)([a-z][a-z-]+)\\b");

  private final Time time;
  private final List<RepeatedRun> runs;
  private final List<FinishedRun> complete;
  private final List<String> notes = new ArrayList<>();
  private final RunTrace trace;
  private final Models models;
  private final Sandboxes sandboxes;
  private final int maxTasks;
  // One for each run that goes on; they are cancelled by whoever ends the evaluation.
  private final List<Task<?>> workers = new CopyOnWriteArrayList<>();
  private final LogLevel logLevel;

  private Evaluation(
      Time time,
      List<RepeatedRun> runs,
      List<FinishedRun> complete,
      RunTrace trace,
      Models models,
      Sandboxes sandboxes,
      int maxTasks,
      LogLevel logLevel) {
    this.time = time;
    this.runs = runs;
    this.complete = List.copyOf(complete);
    this.trace = trace;
    this.models = models;
    this.sandboxes = sandboxes;
    this.maxTasks = maxTasks;
    this.logLevel = logLevel;
  }

  /** As {@link #prepare(Time, Path, Settings, Host)}, with the variables of this process. */
  public static Evaluation prepare(Time time, Path taskFile, Settings given) {
    return prepare(time, taskFile, given, Host.process());
  }

  /** As {@link #prepare(Time, List, Settings, Host)}, with the task of a file. */
  public static Evaluation prepare(Time time, Path taskFile, Settings given, Host host) {
    var input =
        new TaskInput(
            RunOptions.parse(given).samples().arguments(), host.environment(), TaskInput.NO_STDIN);
    return prepare(time, List.of(TaskFile.read(taskFile, input)), given, host);
  }

  /**
   * Finds the models of each task, and makes sure that logs can be written. Nothing is written if
   * the input is bad.
   *
   * @param given settings that win over those of the tasks
   * @throws ConfigurationException if anything cannot be used
   */
  public static Evaluation prepare(
      Time time, List<TaskDefinition> tasks, Settings given, Host host) {
    return prepare(time, tasks, given, host, EarlierRuns.NONE, 0);
  }

  /** As {@link #retry(Time, Path, Settings, Host)}, with the variables of this process. */
  public static Evaluation retry(Path log) {
    return retry(Time.system(), log, Settings.NONE, Host.process());
  }

  /**
   * Goes on with the run of a log: keeps its finished samples, runs the others, and writes a new
   * log. The task is made again from where it came from; settings are those of the log.
   *
   * @param log of a run that was cancelled, failed or killed; a journal or a whole log
   * @param given settings that win over those of the log
   * @throws ConfigurationException if a program made the task, the finished samples are answers of
   *     another model than the one that is given, or anything cannot be used
   */
  public static Evaluation retry(Time time, Path log, Settings given, Host host) {
    Retried old = Retrying.read(log);
    Map<String, String> arguments = RunOptions.parse(given).samples().arguments();
    return retry(time, old, Retrying.task(old, arguments, host), given, host);
  }

  /**
   * Goes on with the run of a log whose task is somewhere else now, or of another program's.
   *
   * @param source where the task is: a file, a class; as on the command line
   */
  public static Evaluation retry(Time time, Path log, String source, Settings given, Host host) {
    Retried old = Retrying.read(log);
    Map<String, String> arguments = RunOptions.parse(given).samples().arguments();
    return retry(time, old, Retrying.task(old, source, arguments, host), given, host);
  }

  /**
   * As {@link #retry(Time, Path, TaskDefinition, Settings, Host)}, with the settings of the log and
   * the variables of this process.
   */
  public static Evaluation retry(Path log, TaskDefinition task) {
    return retry(Time.system(), log, task, Settings.NONE, Host.process());
  }

  /** Goes on with the run of a log whose task a program made. */
  public static Evaluation retry(
      Time time, Path log, TaskDefinition task, Settings given, Host host) {
    return retry(time, Retrying.read(log), task, given, host);
  }

  private static Evaluation retry(
      Time time, Retried old, TaskDefinition task, Settings given, Host host) {
    Retrying.Inherited inherited = Retrying.settings(old, given, task.settings());
    List<String> changes = new ArrayList<>();
    Evaluation evaluation =
        prepare(
            time,
            List.of(task),
            inherited.settings(),
            host,
            planned -> {
              Retried kept = planned.kept(old);
              changes.addAll(ChangedRun.told(kept, planned));
              return new EarlierRuns.GoOn(kept);
            },
            0);
    evaluation.notes.addAll(changes);
    evaluation.notes.addAll(inherited.problems());
    return evaluation;
  }

  /**
   * @param earlier knows what was run before
   * @param attempts how often a run that failed is gone on with at once
   */
  static Evaluation prepare(
      Time time,
      List<TaskDefinition> tasks,
      Settings given,
      Host host,
      EarlierRuns earlier,
      int attempts) {
    if (tasks.isEmpty()) {
      throw new ConfigurationException("there is no task to run");
    }
    SharedOptions.requireSame(tasks, given);
    Settings first = given.orElse(tasks.getFirst().settings());
    RunOptions shared = RunOptions.parse(first);
    // Short enough to be typed again.
    long seed = shared.seed().orElseGet(() -> time.freshSeed() >>> 40);
    String id = Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX);
    var trace =
        new RunTrace(
            time,
            id,
            host.traceDirectory(),
            shared.trace().traceBodies().orElse(false),
            host.watcher());
    var secrets = new Secrets(host.environment());
    boolean isRehearsal = host.rehearsal().isPresent();
    Models models = first.using("prices", () -> new Models(time, host, shared, seed, trace));
    var budget = new Budget(shared.budget());
    var caps = new SandboxCaps(shared.samples().maxSandboxes(), shared.samples().maxSubprocesses());
    var opened = new Sandboxes(time, caps, host.environment());
    SandboxProvider sandboxes = isRehearsal ? new RehearsedSandboxes(time, opened) : opened;
    List<RepeatedRun> runs = new ArrayList<>();
    List<FinishedRun> complete = new ArrayList<>();
    for (TaskDefinition task : tasks) {
      Settings settings = given.orElse(task.settings());
      RunOptions options = RunOptions.parse(settings);
      TaskDefinition selected =
          task.with(
              settings.using(
                  "sample-id", () -> SampleSelection.select(task.dataset(), options, seed)));
      requireEpochs(settings, options);
      requireBounded(selected, options);
      requireUsable(selected, sandboxes, options, time, trace);
      Map<String, Models.OpenModel> roles =
          settings.using("model-role", () -> models.roles(options));
      Path logDir = options.logDir().orElse(DEFAULT_LOG_DIR);
      models.requirePrices(names(task, options), options);
      Map<String, String> config = config(settings, secrets);
      for (ModelName name : names(task, options)) {
        EarlierRuns.Found found =
            earlier.find(new EarlierRuns.Planned(selected, options, name, config));
        if (found instanceof EarlierRuns.Complete(FinishedRun before)) {
          complete.add(before);
          continue;
        }
        String runId = runs.isEmpty() ? id : id + "-" + (runs.size() + 1);
        Models.OpenModel model = opened(models, name, task, settings);
        runs.add(
            new RepeatedRun(
                attempts,
                found instanceof EarlierRuns.GoOn(Retried old)
                    ? Optional.of(old)
                    : Optional.empty(),
                (attempt, retried) ->
                    new LoggedRun(
                        time,
                        attempt == 0 ? runId : runId + "-r" + attempt,
                        selected,
                        options,
                        model,
                        roles,
                        seed,
                        config,
                        secrets,
                        budget,
                        sandboxes,
                        isRehearsal ? Optional.empty() : Optional.of(logDir),
                        retried,
                        trace::warn),
                old -> new EarlierRuns.Planned(selected, options, name, config).kept(old),
                trace::warn));
      }
      if (!isRehearsal) {
        prepareLogDir(logDir);
      }
    }
    trace.onLimitChange(change -> runs.forEach(run -> run.limitChanged(change)));
    return new Evaluation(
        time,
        runs,
        complete,
        trace,
        models,
        opened,
        shared.samples().maxTasks().orElse(DEFAULT_MAX_TASKS),
        shared.trace().logLevel().orElse(LogLevel.WARNING));
  }

  private static Models.OpenModel opened(
      Models models, ModelName name, TaskDefinition task, Settings settings) {
    RunOptions options = RunOptions.parse(settings);
    try {
      return models.evaluated(name, task.name(), options.logDir().orElse(DEFAULT_LOG_DIR), options);
    } catch (ConfigurationException wrong) {
      throw settings.at(culprit(wrong, settings, options), wrong);
    }
  }

  /** The first option that the message names and that was given; else the model. */
  private static String culprit(
      ConfigurationException wrong, Settings settings, RunOptions options) {
    return NAMED
        .matcher(String.valueOf(wrong.getMessage()))
        .results()
        .map(named -> named.group(1))
        .map(name -> options.modelArguments().containsKey(name) ? "model-args" : name)
        .filter(name -> settings.word(name).isPresent())
        .findFirst()
        .orElse("model");
  }

  static void requireEpochs(Settings settings, RunOptions options) {
    int epochs = options.samples().epochs().orElse(1);
    for (String word : options.samples().reducers()) {
      var _ =
          settings.using(
              "epochs-reducer",
              () -> {
                Reducer reducer = Reducer.parse(word);
                reducer.requireEpochs(epochs);
                return reducer;
              });
    }
  }

  /** Each repetition is kept until the end: better to refuse now than to run out of memory. */
  static void requireBounded(TaskDefinition task, RunOptions options) {
    int samples = task.dataset().samples().size();
    int epochs = options.samples().epochs().orElse(1);
    if ((long) samples * epochs > MOST_ATTEMPTS) {
      throw new ConfigurationException(
          "%s: %d samples × %d epochs are more than %d; lower --epochs or --limit"
              .formatted(task.name(), samples, epochs, MOST_ATTEMPTS));
    }
  }

  /** What would fail each sample is told before the first call. */
  static void requireUsable(
      TaskDefinition task,
      SandboxProvider sandboxes,
      RunOptions options,
      Time time,
      RunTrace trace) {
    try {
      boolean samples = !options.samples().noValidate().orElse(false);
      task.check(sandboxes, samples, time::nanos)
          .ifPresent(left -> trace.warn("%s: %s".formatted(task.name(), left)));
    } catch (InterruptedException cancelled) {
      throw new CancellationException("cancelled while the sandbox was looked at");
    }
  }

  private static List<ModelName> names(TaskDefinition task, RunOptions options) {
    if (options.model().isEmpty()) {
      throw new ConfigurationException(
          "%s: no model is given; use --model provider/model or the key `model`"
              .formatted(task.name()));
    }
    return options.model().stream().map(ModelName::parse).distinct().toList();
  }

  /** Kept in the log, without what may be a credential. */
  static Map<String, String> config(Settings settings, Secrets secrets) {
    Map<String, String> config = new LinkedHashMap<>();
    for (Option option : Options.all()) {
      settings
          .setting(option)
          .ifPresent(set -> config.put(option.key(), secrets.hidden(set.word())));
    }
    return config;
  }

  /**
   * Runs to the end and writes the logs. Cancelling the calling task ends all runs cleanly. A
   * result that cannot be written is still returned: it was paid for.
   */
  public Finished run() {
    try (trace;
        models;
        sandboxes) {
      trace.begin();
      runAll();
      List<FinishedRun> finished = runs.stream().map(RepeatedRun::finished).toList();
      if (finished.stream()
          .allMatch(
              run ->
                  run.result().status() == RunResult.Status.SUCCESS
                      && run.notWritten().isEmpty())) {
        models.finish();
      }
      models.roleNames().stream()
          .filter(role -> runs.stream().noneMatch(run -> run.askedRoles().contains(role)))
          .forEach(role -> trace.warn("nothing has asked for the role '%s'".formatted(role)));
      models.cacheProblem().ifPresent(trace::warn);
      int uncollected = models.uncollected();
      if (uncollected > 0) {
        trace.warn(
            "%d requests are in batches at the provider, and their cost is not in the table; the"
                    .formatted(uncollected)
                + " same command picks them up again");
      }
      return new Finished(finished);
    }
  }

  private void runAll() {
    var next = new AtomicInteger();
    for (int i = 0; i < Math.min(maxTasks, runs.size()); i++) {
      workers.add(
          time.start(
              "task-" + (i + 1),
              () -> {
                for (int run = next.getAndIncrement();
                    run < runs.size();
                    run = next.getAndIncrement()) {
                  runs.get(run).run(); // throws nothing: one that breaks ends no other
                }
              }));
    }
    for (Task<?> worker : workers) {
      while (!joined(worker)) {
        cancel();
      }
    }
  }

  /** Runs end soon, and tell what they have finished. */
  private void cancel() {
    runs.forEach(RepeatedRun::cancel);
    workers.forEach(Task::cancel);
  }

  /** To look at it and to change it while it runs. */
  public EvaluationControl control() {
    return new EvaluationControl(
        time,
        () -> runs.stream().map(RepeatedRun::current).toList(),
        models,
        trace::warn,
        this::cancel);
  }

  private static boolean joined(Task<?> worker) {
    try {
      worker.join();
      return true;
    } catch (InterruptedException interrupted) {
      return false;
    } catch (CancellationException ended) {
      return true;
    } catch (TaskFailedException failed) {
      throw new IllegalStateException("a run failed: " + failed.getCause(), failed.getCause());
    }
  }

  /** What is kept of the logs that it goes on with, and what is not, in sentences. */
  public List<String> keptFrom() {
    List<String> told = new ArrayList<>();
    runs.forEach(run -> run.keptFrom().ifPresent(told::add));
    told.addAll(notes);
    return told;
  }

  /** Whether there is anything to run. */
  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** Runs that need not be run, because they were before. */
  List<FinishedRun> complete() {
    return complete;
  }

  /** Of each run, in order. */
  public List<RunProgress> progress() {
    return runs.stream().map(RepeatedRun::progress).toList();
  }

  /** Of each model, graders included. */
  public List<ModelProgress> models() {
    return trace.meters().progress();
  }

  /** How many samples wait for a sandbox, or for their turn to run a command in one. */
  public int waitingForSandboxes() {
    return sandboxes.waiting();
  }

  /** What is to be shown while it runs. */
  public LogLevel logLevel() {
    return logLevel;
  }

  static void prepareLogDir(Path logDir) {
    try {
      RunLog.prepare(logDir);
    } catch (IOException unwritable) {
      throw new ConfigurationException(
          "the log directory %s cannot be written to (%s); choose another one with --log-dir"
              .formatted(
                  logDir, Files.isRegularFile(logDir) ? "it is a file" : unwritable.toString()),
          unwritable);
    }
  }

  /** An evaluation that has ended. */
  public record Finished(List<FinishedRun> runs) {

    public Finished {
      runs = List.copyOf(runs);
    }

    /** The result of the only run, or the first. */
    public RunResult result() {
      return runs.getFirst().result();
    }
  }

  /**
   * A run that has ended.
   *
   * @param file where its log was written, if it could be
   * @param notWritten why it could not
   * @param refusal why the provider refused for good, if that ended the run
   */
  public record FinishedRun(
      RunResult result,
      Optional<Path> file,
      Optional<String> notWritten,
      Optional<Response.Failure> refusal) {}
}

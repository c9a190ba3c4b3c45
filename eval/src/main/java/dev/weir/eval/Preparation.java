package dev.weir.eval;

import dev.weir.eval.metric.Reducer;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.run.Budget;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.RunLog;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
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
import java.util.regex.Pattern;

/** Checks tasks and settings, and makes an evaluation of them that can run. */
final class Preparation {

  private static final int DEFAULT_MAX_TASKS = 10;
  private static final int MOST_ATTEMPTS = 10_000_000;

  /** What a message names: an option, or an argument of a model. */
  private static final Pattern NAMED = Pattern.compile("(?:[`']|--)([a-z][a-z-]+)\\b");

  private Preparation() {}

  /**
   * @param drawn the seed that earlier runs drew, if there were any. It is for those who give none:
   *     providers, which must be asked the same again, are not sent it
   * @param earlier knows what was run before
   * @param attempts how often a run that failed is gone on with at once
   */
  static Evaluation of(
      Time time,
      List<TaskDefinition> tasks,
      Settings given,
      Host host,
      Optional<Long> drawn,
      EarlierRuns earlier,
      int attempts) {
    if (tasks.isEmpty()) {
      throw new ConfigurationException("there is no task to run");
    }
    SharedOptions.requireSame(tasks, given);
    tasks.forEach(task -> ThresholdMetrics.check(task, given));
    Settings first = given.orElse(tasks.getFirst().settings());
    RunOptions shared = RunOptions.parse(first);
    // Short enough to be typed again.
    long seed = shared.seed().or(() -> drawn).orElseGet(() -> time.freshSeed() >>> 40);
    String id = Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX);
    var trace =
        new RunTrace(
            time,
            id,
            host.traceDirectory(),
            shared.trace().traceBodies().orElse(false),
            host.watcher());
    PromptfooVariables.unused(tasks, host.environment()).forEach(trace::warn);
    tasks.stream()
        .flatMap(task -> given.orElse(task.settings()).replaced().stream())
        .map(Settings.Replaced::toString)
        .distinct()
        .forEach(trace::warn);
    var ofAll = new Secrets(host.environment());
    boolean isRehearsal = host.rehearsal().isPresent();
    Models models = first.using("prices", () -> new Models(time, host, shared, seed, trace));
    var budget = new Budget(shared.budget());
    var caps = new SandboxCaps(shared.samples().maxSandboxes(), shared.samples().maxSubprocesses());
    var opened = new Sandboxes(time, caps, host.environment());
    SandboxProvider sandboxes = isRehearsal ? new RehearsedSandboxes(time, opened) : opened;
    List<RepeatedRun> runs = new ArrayList<>();
    List<Evaluation.FinishedRun> complete = new ArrayList<>();
    for (TaskDefinition task : tasks) {
      Settings settings = given.orElse(task.settings());
      RunOptions options = RunOptions.parse(settings);
      TaskDefinition selected =
          task.with(
              settings.using(
                  "sample-id", () -> SampleSelection.select(task.dataset(), options, seed)));
      requireEpochs(settings, options);
      requireBounded(selected, settings, options);
      requireUsable(selected, sandboxes, options, isRehearsal, time, trace);
      requireMetrics(task, selected, options, trace);
      Map<String, Models.OpenModel> roles =
          settings.using("model-role", () -> models.roles(options));
      Path logDir = options.logDir().orElse(Evaluation.DEFAULT_LOG_DIR);
      models.requirePrices(names(task, options), options);
      Secrets secrets = ofAll.and(task.provenance().secrets());
      Map<String, String> config = config(settings, secrets);
      for (ModelName name : names(task, options)) {
        EarlierRuns.Found found =
            earlier.find(new EarlierRuns.Planned(selected, options, name, config));
        if (found instanceof EarlierRuns.Complete(Evaluation.FinishedRun before)) {
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
    models.opened();
    trace.onWindowMove((scope, move) -> runs.forEach(run -> run.windowMoved(scope, move)));
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
      return models.evaluated(
          name, task.name(), options.logDir().orElse(Evaluation.DEFAULT_LOG_DIR), options);
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
  static void requireBounded(TaskDefinition task, Settings settings, RunOptions options) {
    int samples = task.dataset().samples().size();
    int epochs = options.samples().epochs().orElse(1);
    if ((long) samples * epochs > MOST_ATTEMPTS) {
      throw settings.at(
          "epochs",
          new ConfigurationException(
              "%s: %d samples × %d epochs are more than %d; lower --epochs or --limit"
                  .formatted(task.name(), samples, epochs, MOST_ATTEMPTS)));
    }
  }

  /**
   * What would fail each sample is told before the first call.
   *
   * @param isRehearsal nothing is started then
   */
  static void requireUsable(
      TaskDefinition task,
      SandboxProvider sandboxes,
      RunOptions options,
      boolean isRehearsal,
      Time time,
      RunTrace trace) {
    try {
      boolean validated = !options.samples().noValidate().orElse(false);
      task.check(sandboxes, validated, validated && !isRehearsal, time)
          .ifPresent(left -> trace.warn("%s: %s".formatted(task.name(), left)));
    } catch (InterruptedException cancelled) {
      throw new CancellationException("cancelled while the task was looked at");
    }
  }

  /**
   * @param selected the same task with the samples that are to run
   */
  static void requireMetrics(
      TaskDefinition task, TaskDefinition selected, RunOptions options, RunTrace trace) {
    if (!options.samples().noValidate().orElse(false)) {
      task.checkMetrics(selected.dataset()).forEach(trace::warn);
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
}

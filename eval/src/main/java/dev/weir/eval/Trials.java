package dev.weir.eval;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.ModelOptions;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions;
import dev.weir.eval.run.Budget;
import dev.weir.eval.run.CallWatch;
import dev.weir.eval.run.KeptSamples;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.Run;
import dev.weir.eval.run.RunPlan;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.Cost;
import dev.weir.log.Reduced;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleResult;
import dev.weir.log.TaskOrigin;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Response;
import dev.weir.time.Time;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Samples of a task that somebody runs one by one, each with models of his choice; for the rest
 * they are those of an evaluation: the same limits, budget, sandboxes and graders. What comes of
 * them is told, and not logged. Thread-safe.
 */
public final class Trials implements AutoCloseable {

  /** The node or role that stands for the evaluated model. */
  public static final List<String> EVALUATED = List.of("model", "evaluated");

  /** Without a seed the same command must still choose the same. */
  private static final long DEFAULT_SEED = 1;

  private final Time time;
  private final TaskDefinition task;
  private final RunOptions options;
  private final Map<String, String> config;
  private final Secrets secrets;
  private final String id;
  private final long seed;
  private final RunTrace trace;
  private final Models models;
  private final Budget budget;
  private final Sandboxes sandboxes;
  private final boolean isRehearsal;
  // The roles that solvers and scorers have asked for.
  private final Set<String> askedRoles = ConcurrentHashMap.newKeySet();
  private final Path logDir;
  private final TrialModels chosenFrom;
  private final TrialCalls calls = new TrialCalls();
  private volatile boolean exhausted;

  /**
   * What came of a sample.
   *
   * @param score of the first scorer; empty if it failed
   * @param cost of all its calls, those of graders included; empty if a price is unknown
   * @param knownCost dollars of those calls that have a price
   * @param latency seconds that it worked, without waiting for a turn
   * @param error why it failed
   * @param excused whether it failed by what says nothing of the sample: a key, an account, a
   *     provider that was away
   * @param unfinished whether it was ended from outside: cancelled, or by a budget or a quota that
   *     is used up
   */
  public record Trial(
      OptionalDouble score,
      OptionalDouble cost,
      double knownCost,
      OptionalDouble latency,
      Optional<String> error,
      boolean excused,
      boolean unfinished) {}

  private Trials(
      Time time,
      TaskDefinition task,
      Settings settings,
      Host host,
      Map<String, List<String>> nodes,
      Map<String, String> places) {
    this.time = time;
    this.options = RunOptions.parse(settings);
    this.secrets = new Secrets(host.environment()).and(task.provenance().secrets());
    this.config = Preparation.config(settings, secrets);
    this.seed = options.seed().orElse(DEFAULT_SEED);
    this.id = Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX);
    this.task =
        task.with(
            settings.using(
                "sample-id", () -> SampleSelection.select(task.dataset(), options, seed)));
    this.logDir = options.logDir().orElse(Evaluation.DEFAULT_LOG_DIR);
    this.trace =
        new RunTrace(
            time,
            id,
            host.traceDirectory(),
            options.trace().traceBodies().orElse(false),
            host.watcher());
    this.models = settings.using("prices", () -> new Models(time, host, options, seed, trace));
    this.budget = new Budget(options.budget());
    this.sandboxes =
        new Sandboxes(
            time,
            new SandboxCaps(options.samples().maxSandboxes(), options.samples().maxSubprocesses()),
            host.environment());
    this.isRehearsal = host.rehearsal().isPresent();
    Preparation.requireEpochs(settings, options);
    Preparation.requireBounded(this.task, settings, options);
    Preparation.requireUsable(
        this.task,
        isRehearsal ? new RehearsedSandboxes(time, sandboxes) : sandboxes,
        options,
        isRehearsal,
        time,
        trace);
    Preparation.requireMetrics(task, this.task, options, trace);
    this.chosenFrom =
        new TrialModels(models, task.name(), logDir, settings, options, nodes, places);
  }

  /**
   * Opens all models. Nothing is called, and nothing written if the input is bad.
   *
   * @param given settings that win over those of the task
   * @param nodes the models that roles may have; {@link #EVALUATED} name the evaluated model
   * @param places where nodes stand, for people, if they stand somewhere
   * @param withoutPrices by option, what cannot be done if nobody knows what a model costs
   * @throws ConfigurationException if anything cannot be used
   */
  public static Trials prepare(
      Time time,
      TaskDefinition task,
      Settings given,
      Host host,
      Map<String, List<String>> nodes,
      Map<String, String> places,
      Map<String, String> withoutPrices) {
    Settings settings = given.orElse(task.settings());
    requireAskedAnew(settings);
    var trials = new Trials(time, task, settings, host, nodes, places);
    settings.replaced().forEach(replaced -> trials.trace.warn(replaced.toString()));
    trials.chosenFrom.requirePrices(settings, withoutPrices);
    if (!RunOptions.parse(settings).samples().noValidate().orElse(false)) {
      Host stage = TrialRehearsal.stage(host);
      try (var rehearsal = new Trials(time, task, settings, stage, nodes, places)) {
        TrialRehearsal.requireAsked(rehearsal, nodes, places);
      }
    }
    return trials;
  }

  /** What each answer takes and costs is measured, so nobody waits for others or gets theirs. */
  private static void requireAskedAnew(Settings settings) {
    ModelOptions asked = RunOptions.parse(settings).models();
    if (asked.batch().isPresent()) {
      throw settings.wrong(
          "batch", "is not for samples that are run one by one, which cannot wait; leave it out");
    }
    if (asked.cache().isPresent()) {
      throw settings.wrong(
          "cache",
          "makes an answer free and instant for all but the first who asks, so models cannot be"
              + " compared; leave it out or set it to false (a resumed selection pays for"
              + " nothing twice without it, too)");
    }
  }

  /** Where a node stands, to be put before what is wrong with it. */
  static String place(Map<String, String> places, String role) {
    return places.containsKey(role) ? places.get(role) + ": " : "";
  }

  /** The samples that can be run, in order. */
  public List<Sample> samples() {
    return task.dataset().samples();
  }

  public String task() {
    return task.name();
  }

  public long seed() {
    return seed;
  }

  public Path logDir() {
    return logDir;
  }

  /**
   * The same text as long as samples are asked and judged in the same way; which samples, and which
   * of their candidates nodes have, is no part of it.
   */
  public String identity() {
    return String.join(
        "\n",
        List.of(
            task.name(),
            String.valueOf(task.provenance().origin().map(TaskOrigin::source)),
            String.valueOf(
                new TreeMap<>(
                    task.provenance()
                        .origin()
                        .map(TaskOrigin::arguments)
                        .orElse(options.samples().arguments()))),
            String.valueOf(task.provenance().solvers().stream().map(RunStart.Step::json).toList()),
            String.valueOf(task.scorers().stream().map(NamedScorer::name).toList()),
            String.valueOf(task.provenance().scorers().stream().map(RunStart.Step::json).toList()),
            String.valueOf(chosenFrom.fixedEndpoints()),
            String.valueOf(RunIdentity.deciding(config)),
            chosenFrom.fixedModel(),
            String.valueOf(options.samples().epochs().orElse(1)),
            String.valueOf(options.samples().reducers())));
  }

  /**
   * Where a candidate is asked, as far as that shapes its answers; empty if there is but one place.
   */
  public String endpoint(String node, String model) {
    return chosenFrom.endpoint(node, model);
  }

  /** Dollars that all of them together may cost. */
  public Optional<BigDecimal> maxCost() {
    return options.budget().maxCost();
  }

  /** What was spent before of what they may cost. */
  public void spent(BigDecimal dollars) {
    budget.spent(dollars);
  }

  /** Each model as all samples together use it, graders included. */
  public List<ModelProgress> models() {
    return models.progress();
  }

  /** Who is told when a call leaves or is back; he must not wait. */
  public void tell(Runnable changed) {
    calls.tell(changed);
  }

  /** Calls that have left and are not back, graders included. */
  public int callsInFlight() {
    return calls.inFlight();
  }

  /**
   * From now on no call leaves any more, of graders neither; those that have left come back.
   * Samples that want one end unfinished. For who is about to cancel them all: each that ends would
   * make room for a call of another.
   */
  public void endCalls() {
    calls.close();
  }

  /** Calls that wait for the limits of their own model: its pace, its window, its next attempt. */
  public int callsHeld() {
    return chosenFrom.held();
  }

  /**
   * Whether a sample that is run with these models would find room at each of them.
   *
   * @param chosen a model for each of the nodes
   */
  public boolean hasRoom(Map<String, String> chosen) {
    return chosenFrom.hasRoom(chosen);
  }

  /** The roles that solvers and scorers have asked for. */
  Set<String> askedRoles() {
    return Set.copyOf(askedRoles);
  }

  /** How many samples wait for a sandbox, or for their turn to run a command in one. */
  public int waitingForSandboxes() {
    return sandboxes.waiting();
  }

  /** Reads the limits of engines again, which is done anyway when their files change. */
  public void reloadEngineLimits() {
    models.reloadEngineLimits();
  }

  /** What is to be shown while they run. */
  public TraceOptions.LogLevel logLevel() {
    return options.trace().logLevel().orElse(TraceOptions.LogLevel.WARNING);
  }

  /** Before the first is run; makes sure that logs can be written. */
  public void begin() {
    Preparation.prepareLogDir(logDir);
    trace.begin();
    models.begin();
  }

  /**
   * Runs a sample to its end. Cancelling the calling task ends it cleanly.
   *
   * @param chosen a model for each of the nodes
   */
  public Trial run(Map<String, String> chosen, Sample sample) {
    return run(chosen, sample, Memory.NONE);
  }

  /**
   * As {@link #run(Map, Sample)}.
   *
   * @param memory is asked before models are, and told each answer of theirs before anything is
   *     made of it; what it knows costs and takes what it did before
   */
  public Trial run(Map<String, String> chosen, Sample sample, Memory memory) {
    TrialModels.Chosen models = chosenFrom.choose(chosen);
    return run(models.evaluated(), models.roles(), sample, new TrialMemory(memory));
  }

  private Trial run(
      Models.OpenModel model,
      Map<String, Models.OpenModel> roles,
      Sample sample,
      TrialMemory memory) {
    TaskDefinition one = task.with(Dataset.of(sample));
    List<SampleResult> ended = new CopyOnWriteArrayList<>();
    var plan =
        new RunPlan(
            id,
            task.name(),
            one,
            options,
            watch -> model.watched(calls.counted(watch), memory),
            watch -> watched(roles, calls.counted(watch), memory),
            time,
            seed,
            budget,
            isRehearsal ? new RehearsedSandboxes(time, sandboxes) : sandboxes,
            isRehearsal,
            KeptSamples.NONE,
            secrets,
            ended::add);
    RunStart start =
        LoggedRun.start(
            time, id, one, options, model, roles, seed, config, secrets, Optional.empty());
    var run = new Run(plan, start);
    RunResult result = run.run();
    askedRoles.addAll(run.askedRoles());
    return trial(result, run, ended, memory);
  }

  private static Map<String, PricedModel> watched(
      Map<String, Models.OpenModel> roles, CallWatch watch, TrialMemory memory) {
    Map<String, PricedModel> watched = new LinkedHashMap<>();
    roles.forEach((role, open) -> watched.put(role, open.watched(watch, memory)));
    return watched;
  }

  /** That an account has no credit left says nothing of the models: it ends the trials. */
  private boolean isExhausted(Run run, List<SampleResult> ended) {
    if (run.refusal().filter(Response.QuotaExhausted.class::isInstance).isEmpty()) {
      return false;
    }
    boolean wasAsked = ended.stream().anyMatch(sample -> sample.error().isPresent());
    exhausted |= wasAsked;
    return exhausted;
  }

  private Trial trial(RunResult result, Run run, List<SampleResult> ended, TrialMemory memory) {
    boolean isExhausted = isExhausted(run, ended);
    double remembered = memory.seconds() / Math.max(1, ended.size());
    OptionalDouble latency =
        ended.stream().mapToDouble(sample -> sample.times().working() + remembered).average();
    boolean hasScore = result.samples().scored() == result.samples().total();
    Optional<String> error =
        ended.stream()
            .flatMap(sample -> sample.error().stream())
            .findFirst()
            .or(result::error)
            .or(result::stopped);
    boolean isUnfinished =
        !hasScore
            && (isExhausted || calls.isClosed() || result.status() == RunResult.Status.CANCELLED);
    return new Trial(
        hasScore ? score(run.reductions()) : OptionalDouble.empty(),
        cost(result.cost()),
        result.cost().knownUsd().doubleValue(),
        latency,
        hasScore ? Optional.empty() : error,
        !hasScore && run.hasFailedFromOutside(),
        isUnfinished);
  }

  /** That of the first scorer, by the first reducer. */
  private static OptionalDouble score(List<Reduced> reductions) {
    return reductions.getFirst().samples().stream().mapToDouble(Reduced.Value::value).findFirst();
  }

  private static OptionalDouble cost(Cost cost) {
    return cost.usd().isPresent()
        ? OptionalDouble.of(cost.usd().get().doubleValue())
        : OptionalDouble.empty();
  }

  @Override
  public void close() {
    try (trace;
        models;
        sandboxes) {
      models.cacheProblem().ifPresent(trace::warn);
    }
  }
}

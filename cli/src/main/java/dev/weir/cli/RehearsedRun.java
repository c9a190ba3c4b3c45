package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.LimitOptions;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Providers;
import dev.weir.simulator.server.Profile;
import dev.weir.simulator.server.Rehearsal;
import dev.weir.simulator.server.Simulation;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs an evaluation on virtual time against simulated models. The runner is the real one; models,
 * tools and sandboxes are not, and nothing is written.
 *
 * @param profile the tier to rehearse with; absent for one without limits
 * @param environment variables; none of the credentials among them is used
 */
record RehearsedRun(
    List<TaskDefinition> tasks,
    Settings settings,
    Optional<Profile> profile,
    Map<String, String> environment) {

  /** Assumptions about answers, for want of any. */
  static final int OUTPUT_TOKENS = 250;

  static final int TOOL_TURNS = 5;
  static final Duration LATENCY = Duration.ofSeconds(2);

  /** What would take longer may never end: a call that fits no quota is refused for ever. */
  static final Duration LONGEST = Duration.ofDays(7);

  /** Nothing else comes round as often: what is in step with it would look the same each time. */
  private static final Duration LOOK = Duration.ofMillis(1_013);

  static final long SEED = 1;

  RehearsalReport run() throws Exception {
    long seed = RunOptions.parse(settings).seed().orElse(SEED);
    if (profile.isPresent()) {
      return run(Simulation.of(profile, Map.of(), seed), seed);
    }
    // Without a tier to rehearse, a model that nobody limits runs as it would.
    return run(Rehearsal.unlimited(LATENCY, seed), seed, withoutProvider());
  }

  /** Against a provider of which more is known than a profile says. */
  RehearsalReport run(Simulation simulation, long seed) throws Exception {
    return run(simulation, seed, Set.of());
  }

  private RehearsalReport run(Simulation simulation, long seed, Set<String> withoutProvider)
      throws Exception {
    var time = VirtualTime.seeded(seed);
    return time.run(() -> run(time, simulation, withoutProvider));
  }

  /** The evaluated models that nobody would limit. */
  private Set<String> withoutProvider() {
    Set<String> models = new HashSet<>();
    for (RunOptions options : options()) {
      for (ModelName name : models(options)) {
        if (!Providers.find(name).isLimited(name, options.modelArguments())) {
          models.add(name.toString());
        }
      }
    }
    return models;
  }

  /**
   * What regulates each evaluated model. Not by tasks, of which several may have one name; two that
   * regulate a model in two ways are refused.
   */
  private Map<String, LimitOptions> limitsByModel() {
    Map<String, LimitOptions> limits = new HashMap<>();
    for (RunOptions options : options()) {
      models(options).forEach(name -> limits.put(name.toString(), options.limits()));
    }
    return limits;
  }

  private List<RunOptions> options() {
    return tasks.stream().map(task -> RunOptions.parse(settings.orElse(task.settings()))).toList();
  }

  private static List<ModelName> models(RunOptions options) {
    return options.model().stream().map(ModelName::parse).toList();
  }

  static Adapter open(Rehearsal rehearsal, ModelName name, boolean isLimited) {
    Provider provider = Providers.find(name);
    return rehearsal.open(
        name,
        LimitKey.named(name.toString()),
        generation -> provider.maxTokens(name, generation),
        isLimited);
  }

  private RehearsalReport run(Time time, Simulation simulation, Set<String> withoutProvider)
      throws InterruptedException {
    var rehearsal = new Rehearsal(simulation, time, OUTPUT_TOKENS, TOOL_TURNS);
    // Those that are about the configuration: what is refused later is what is rehearsed.
    List<String> warnings = new ArrayList<>();
    var isPrepared = new AtomicBoolean();
    var host =
        new Host(
            environment,
            Optional.empty(),
            (level, record) -> {
              if (level == LogLevel.WARNING && !isPrepared.get()) {
                warnings.add(record.line().replaceFirst("^warning: ", ""));
              }
            },
            Optional.of(name -> open(rehearsal, name, !withoutProvider.contains(name.toString()))));
    Evaluation evaluation = Evaluation.prepare(time, tasks, settings, host);
    isPrepared.set(true);
    var watch = new RehearsalWatch(rehearsal, limitsByModel(), withoutProvider);
    var isCutShort = new AtomicBoolean();
    long begun = time.nanos();
    Task<Evaluation.Finished> running = time.start("rehearsal", evaluation::run);
    Task<?> watching =
        time.start(
            "watch",
            () -> {
              while (time.nanos() - begun < LONGEST.toNanos()) {
                time.sleep(LOOK);
                watch.look(evaluation);
              }
              isCutShort.set(true);
              running.cancel();
            });
    try {
      Evaluation.Finished finished = running.join();
      return new RehearsalReport(
          profile,
          finished.runs().stream().map(Evaluation.FinishedRun::result).toList(),
          evaluation.models(),
          watch,
          Duration.ofNanos(time.nanos() - begun),
          isCutShort.get(),
          warnings);
    } finally {
      watching.cancel();
    }
  }
}

package dev.weir.eval;

import dev.weir.eval.run.RunTrace;
import dev.weir.eval.task.LimitOptions;
import dev.weir.eval.task.TaskOptions;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Regulator;
import dev.weir.model.Adapter;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/** Opens the models of a run: each behind its own lane, all under one regulator. */
final class Models {

  private final Time time;
  private final Map<String, String> environment;
  private final TaskOptions options;
  private final long seed;
  private final RunTrace trace;
  private final Regulator regulator;
  // One that is graded by itself has but one lane.
  private final Map<LimitKey, Lane> lanes = new HashMap<>();

  Models(
      Time time, Map<String, String> environment, TaskOptions options, long seed, RunTrace trace) {
    this.time = time;
    this.environment = environment;
    this.options = options;
    this.seed = seed;
    this.trace = trace;
    LimitOptions limits = options.limits();
    this.regulator =
        new Regulator(
            time,
            limits.maxConcurrency().map(OptionalInt::of).orElseGet(OptionalInt::empty),
            limits.delay().orElse(Duration.ZERO),
            new SplittableRandom(seed));
    var _ = regulator.subscribe(trace::noted);
  }

  Model evaluated(ModelName name) {
    return open(name, options.modelArguments(), options.models().modelBaseUrl(), options.limits());
  }

  /** By their roles; they take what limits say, but not the tier of the evaluated model. */
  Map<String, Model> roles() {
    Map<String, Model> roles = new LinkedHashMap<>();
    options
        .modelRoles()
        .forEach(
            (role, name) ->
                roles.put(
                    role,
                    open(
                        ModelName.parse(name),
                        Map.of(),
                        Optional.empty(),
                        options.limits().withoutTier())));
    return roles;
  }

  private Model open(
      ModelName name, Map<String, String> arguments, Optional<URI> baseUrl, LimitOptions limits) {
    Adapter adapter =
        Providers.find(name)
            .open(name, arguments, new Surroundings(time, seed, environment, baseUrl));
    Lane lane =
        lanes.computeIfAbsent(
            adapter.key(), key -> regulator.lane(key, limits.mode(), limits.retryBounds()));
    return new Model(time, name, adapter, lane, trace::attempted);
  }
}

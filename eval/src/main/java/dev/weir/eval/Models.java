package dev.weir.eval;

import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.task.LimitOptions;
import dev.weir.eval.task.ModelOptions;
import dev.weir.eval.task.TaskOptions;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Regulator;
import dev.weir.model.Adapter;
import dev.weir.model.CacheOptions;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.price.PriceTable;
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
  private final PriceTable prices;
  private final Optional<ResponseCache> cache;
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
    this.prices = prices(options.models(), environment);
    this.cache = options.models().cache().map(age -> CacheOptions.open(time, age, environment));
    LimitOptions limits = options.limits();
    this.regulator =
        new Regulator(
            time,
            limits.maxConcurrency().map(OptionalInt::of).orElseGet(OptionalInt::empty),
            limits.delay().orElse(Duration.ZERO),
            new SplittableRandom(seed));
    var _ = regulator.subscribe(trace::noted);
  }

  private static PriceTable prices(ModelOptions options, Map<String, String> environment) {
    PriceTable usual = PriceTable.of(environment);
    return options.prices().map(PriceTable::read).map(usual::with).orElse(usual);
  }

  PricedModel evaluated(ModelName name) {
    return open(name, options.modelArguments(), options.models().modelBaseUrl(), options.limits());
  }

  /** By their roles; they take what limits say, but not the tier of the evaluated model. */
  Map<String, PricedModel> roles() {
    Map<String, PricedModel> roles = new LinkedHashMap<>();
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

  private PricedModel open(
      ModelName name, Map<String, String> arguments, Optional<URI> baseUrl, LimitOptions limits) {
    Adapter adapter =
        Providers.find(name)
            .open(name, arguments, new Surroundings(time, seed, environment, baseUrl));
    Lane lane =
        lanes.computeIfAbsent(
            adapter.key(), key -> regulator.lane(key, limits.mode(), limits.retryBounds()));
    var model = new Model(time, name, adapter, lane, trace::attempted);
    return new PricedModel(
        cache.map(kept -> model.with(kept, arguments)).orElse(model), prices.priceOf(name));
  }
}

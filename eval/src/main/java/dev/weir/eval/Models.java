package dev.weir.eval;

import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.LimitOptions;
import dev.weir.eval.task.ModelOptions;
import dev.weir.eval.task.TaskOptions;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.Adapter;
import dev.weir.model.CacheOptions;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import dev.weir.model.batch.BatchAdapter;
import dev.weir.model.batch.BatchJournal;
import dev.weir.model.batch.BatchSettings;
import dev.weir.model.batch.BatchingAdapter;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.price.PriceTable;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Opens the models of a run: each behind its own lane, all under one regulator. Not thread-safe;
 * the models are.
 */
final class Models implements AutoCloseable {

  private final Time time;
  private final Map<String, String> environment;
  private final TaskOptions options;
  private final long seed;
  private final RunTrace trace;
  private final PriceTable prices;
  // Opened with the first model: nothing is written for one that does not exist.
  private Optional<ResponseCache> cache = Optional.empty();
  private final Regulator regulator;
  // One that is graded by itself has but one lane.
  private final Map<LimitKey, Lane> lanes = new HashMap<>();
  private @Nullable BatchingAdapter batching;
  private @Nullable BatchJournal journal;

  Models(
      Time time, Map<String, String> environment, TaskOptions options, long seed, RunTrace trace) {
    this.time = time;
    this.environment = environment;
    this.options = options;
    this.seed = seed;
    this.trace = trace;
    this.prices = prices(options.models(), environment);
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
    return options
        .prices()
        .map(PriceTable::read)
        .map(PriceTable.builtIn()::with)
        .orElseGet(() -> PriceTable.of(environment));
  }

  /**
   * @param task the name of what is evaluated, for the journal of batches
   * @param logDir where that journal is kept
   */
  PricedModel evaluated(ModelName name, String task, Path logDir) {
    Adapter adapter = adapter(name, options.modelArguments(), options.models().modelBaseUrl());
    Optional<BatchSettings> batch = options.models().batch();
    return batch.isPresent()
        ? batched(name, adapter, batch.get(), task, logDir)
        : live(name, adapter, options.modelArguments(), options.limits());
  }

  /** By their roles; they take what limits say, but not the tier of the evaluated model. */
  Map<String, PricedModel> roles() {
    Map<String, PricedModel> roles = new LinkedHashMap<>();
    options
        .modelRoles()
        .forEach(
            (role, word) -> {
              if (!Scorers.roles().contains(role)) {
                throw new ConfigurationException(
                    "nothing asks for the role '%s'%s"
                        .formatted(role, Spelling.hint(role, Scorers.roles())));
              }
              ModelName name = ModelName.parse(word);
              Adapter adapter = adapter(name, Map.of(), Optional.empty());
              roles.put(role, live(name, adapter, Map.of(), options.limits().withoutTier()));
            });
    return roles;
  }

  /** The run has all its answers: nobody will ask for those in batches again. */
  void finish() {
    try {
      if (journal != null) {
        journal.finish();
      }
    } catch (ConfigurationException unwritable) {
      // The result is safe; the next run asks in vain for what it has no use for.
      trace.warn(String.valueOf(unwritable.getMessage()));
    }
  }

  /** Requests that batches hold and nobody has collected: they may well be paid for. */
  int uncollected() {
    return batching == null ? 0 : batching.openRequests();
  }

  /** Why answers could not be kept, if that happened. */
  Optional<String> cacheProblem() {
    return cache.flatMap(ResponseCache::problem);
  }

  @Override
  public void close() {
    if (batching != null) {
      batching.close();
    }
    if (journal != null) {
      journal.close();
    }
  }

  private Adapter adapter(ModelName name, Map<String, String> arguments, Optional<URI> baseUrl) {
    return Providers.find(name)
        .open(name, arguments, new Surroundings(time, seed, environment, baseUrl));
  }

  private PricedModel live(
      ModelName name, Adapter adapter, Map<String, String> arguments, LimitOptions limits) {
    Lane lane =
        lanes.computeIfAbsent(
            adapter.key(), key -> regulator.lane(key, limits.mode(), limits.retryBounds()));
    return priced(name, adapter, lane, arguments, false);
  }

  /** Batches have a quota of their own, so nothing regulates them. */
  private PricedModel batched(
      ModelName name, Adapter adapter, BatchSettings settings, String task, Path logDir) {
    if (!(adapter instanceof BatchAdapter offering)) {
      throw new ConfigurationException(
          "model '%s' takes no batches; leave --batch out, or take a model of openai or anthropic"
              .formatted(name));
    }
    journal = BatchJournal.open(logDir.resolve("batches"), task + " on " + name, time);
    batching =
        new BatchingAdapter(
            time, name, offering, settings, journal, trace::batched, trace::attempted);
    LimitKey key = adapter.key();
    RetryBounds bounds = options.limits().retryBounds();
    Lane lane =
        regulator.lane(
            LimitKey.of(key.engine(), key.account(), key.model() + " (batch)"),
            new Mode.Static(BatchingAdapter.WINDOW),
            // An attempt takes as long as its batch.
            new RetryBounds(bounds.maxRetries(), bounds.timeout(), Optional.empty()));
    return priced(name, batching, lane, options.modelArguments(), true);
  }

  private PricedModel priced(
      ModelName name, Adapter adapter, Lane lane, Map<String, String> arguments, boolean batched) {
    var model = new Model(time, name, adapter, lane, trace::attempted);
    if (cache.isEmpty()) {
      cache = options.models().cache().map(age -> CacheOptions.open(time, age, environment));
    }
    return new PricedModel(
        cache.map(kept -> model.with(kept, arguments)).orElse(model),
        prices.priceOf(name),
        batched);
  }
}

package dev.weir.eval;

import dev.weir.eval.memory.LimitStore;
import dev.weir.eval.option.LimitOptions;
import dev.weir.eval.option.ModelOptions;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.TraceOptions;
import dev.weir.eval.run.CallWatch;
import dev.weir.eval.run.ModelCount;
import dev.weir.eval.run.ModelMeter;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.RunTrace;
import dev.weir.limits.EngineLimits;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.Regulator;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.log.StateDirectory;
import dev.weir.model.Adapter;
import dev.weir.model.CacheOptions;
import dev.weir.model.CallEvent;
import dev.weir.model.CallListener;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import dev.weir.model.batch.BatchAdapter;
import dev.weir.model.batch.BatchJournal;
import dev.weir.model.batch.BatchSettings;
import dev.weir.model.batch.BatchingAdapter;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.engine.EngineLimitSource;
import dev.weir.model.engine.EngineLimitWatch;
import dev.weir.model.price.Price;
import dev.weir.model.price.PriceTable;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.telemetry.CallExporter;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Opens the models of a run: each behind its own lane, all under one regulator. Not thread-safe;
 * the models are.
 */
final class Models implements AutoCloseable {

  /** Engines whose models may have arguments in their names. */
  private static final Set<String> WITH_ARGUMENTS = Set.of("sim", "mock");

  /** In the help of a provider: {@code needs OPENAI_API_KEY}. */
  private static final Pattern CREDENTIAL = Pattern.compile("\\b[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)\\b");

  private final Time time;
  private final Map<String, String> environment;
  private final Optional<RehearsedModels> rehearsal;
  private final boolean isWatched;
  private final RunOptions options;
  private final long seed;
  private final RunTrace trace;
  private final PriceTable prices;
  // Opened with the first model: nothing is written for one that does not exist.
  private Optional<ResponseCache> cache = Optional.empty();
  private final Regulator regulator;
  private final RunMemory memory;
  private final EngineLimitWatch engineLimits;
  private volatile EngineLimits configured = EngineLimits.NONE;
  private final Set<LimitKey> called = ConcurrentHashMap.newKeySet();
  private volatile boolean areOpened;
  // Absent if nothing needs it: metrics are not served, and no limits of engines are configured.
  private final Optional<Telemetry> telemetry;
  private final Optional<OutOfDateLimits> outOfDate;
  private final Optional<Metrics> metrics;
  private Optional<MetricsServer.Serving> serving = Optional.empty();
  // Absent if the environment asks for none.
  private final Optional<CallExporter> exporter;
  private CallExporter.Export export = CallExporter.Export.NONE;
  // One that is graded by itself has but one lane.
  private final Map<LimitKey, Lane> lanes = new HashMap<>();
  // Guarded by itself: the lanes of each model that has limits, by its name. Accounts have lanes of
  // their own, and may share a name.
  private final Map<String, Set<Lane>> regulated = new LinkedHashMap<>();
  // Those that hold what belongs to the provider: tasks, roles and candidates share them.
  private final Map<SharedAdapter, Adapter> shared = new HashMap<>();
  private final Set<String> roleNames = new HashSet<>();
  private final List<BatchingAdapter> batching = new ArrayList<>();
  private final List<BatchJournal> journals = new ArrayList<>();

  Models(Time time, Host host, RunOptions options, long seed, RunTrace trace) {
    this.time = time;
    this.environment = host.environment();
    this.rehearsal = host.rehearsal();
    this.isWatched = host.isWatched();
    this.options = options;
    this.seed = seed;
    this.trace = trace;
    this.prices = prices(options.models(), host.environment());
    LimitOptions limits = options.limits();
    this.regulator =
        new Regulator(
            time,
            limits.maxConcurrency().map(OptionalInt::of).orElseGet(OptionalInt::empty),
            limits.delay().orElse(Duration.ZERO),
            new SplittableRandom(seed));
    var _ = regulator.subscribe(trace::noted);
    this.metrics = metrics(host);
    // A rehearsal sends nothing.
    this.exporter =
        rehearsal.isPresent() ? Optional.empty() : CallExporter.find(host.environment());
    var source = new EngineLimitSource(environment, limits.engineLimits());
    boolean hasEngineLimits = source.isPresent() && rehearsal.isEmpty();
    this.telemetry =
        metrics.isPresent() || hasEngineLimits
            ? Optional.of(new Telemetry(time, prices::priceOf))
            : Optional.empty();
    this.outOfDate =
        telemetry
            .filter(_ -> hasEngineLimits)
            .map(used -> new OutOfDateLimits(time, used, trace::warn));
    telemetry.ifPresent(
        used -> {
          var _ = regulator.subscribe(used::noted);
        });
    this.engineLimits = new EngineLimitWatch(time, source, new LimitsInUse(), trace::warn);
    this.memory = new RunMemory(time, store(time, host, limits, trace), regulator, trace::warn);
  }

  /** What the limits of engines hold for. */
  private final class LimitsInUse implements EngineLimitWatch.Listener {

    @Override
    public void changed(EngineLimits limits) {
      regulator.limitEngines(limits);
      configured = limits;
      if (areOpened) {
        warnOfUnknown(limits);
      }
      if (!limits.isEnforced()) {
        trace.warn(
            limits.enforced().isEmpty()
                ? "limits of engines are measured against, but not enforced (enforce: false)"
                : "limits in the file with enforce: false are measured against, but not enforced;"
                    + " those in variables are enforced");
      }
      telemetry.ifPresent(used -> used.limitTo(limits));
    }

    @Override
    public void looked(EngineLimitWatch.Status status) {
      telemetry.ifPresent(used -> used.configured(status.isHealthy(), status.loadedAt()));
    }
  }

  /** Where metrics are served. */
  private record Metrics(MetricsServer.Place place, MetricsServer server) {}

  private Optional<Metrics> metrics(Host host) {
    TraceOptions wanted = options.trace();
    Optional<MetricsServer.Place> place =
        wanted.metricsPort().map(port -> new MetricsServer.Place(wanted.metricsHost(), port));
    if (place.isEmpty() && wanted.metricsHost().isPresent()) {
      throw new ConfigurationException(
          "--metrics-host says where metrics are served, but --metrics-port is missing; give both");
    }
    // A rehearsal sends nothing.
    if (place.isEmpty() || rehearsal.isPresent()) {
      return Optional.empty();
    }
    if (host.metrics().isEmpty()) {
      trace.warn(
          "`metrics_port` has no effect: this program serves no metrics; the command weir does, and"
              + " programs can with Host.withMetrics");
    }
    return host.metrics().map(server -> new Metrics(place.get(), server));
  }

  /** Whatever listens to calls, if anything does. */
  private Optional<CallListener> listener() {
    return Stream.<Optional<? extends CallListener>>of(telemetry, exporter.map(_ -> this::exported))
        .<CallListener>flatMap(Optional::stream)
        .reduce(CallListener::and);
  }

  private void exported(CallEvent event) {
    export.on(event);
  }

  /** The limits of an engine whose name is misspelt would be ignored without a word. */
  private void warnOfUnknown(EngineLimits engines) {
    Set<String> known = Providers.all().keySet();
    Set<String> used = called.stream().map(LimitKey::engine).collect(Collectors.toSet());
    engines.engines().keySet().stream()
        .filter(engine -> !known.contains(engine) && !used.contains(engine))
        .sorted()
        .forEach(
            engine ->
                trace.warn(
                    "engine limits name '%s', which is no provider; they apply to openai-api/%s/… only%s"
                        .formatted(
                            engine,
                            engine,
                            Spelling.nearest(engine, known)
                                .map("; did you mean '%s'?"::formatted)
                                .orElse(""))));
    called.stream()
        .filter(key -> isMissedByItsArguments(engines, key))
        .map(key -> key.engine() + "/" + key.model())
        .sorted()
        .forEach(
            name ->
                trace.warn(
                    "engine limits of %s do not apply to %s: its arguments are part of its name; write %s* in the limits, or give the arguments with -M"
                        .formatted(bare(name), name, bare(name).substring(name.indexOf('/') + 1))));
  }

  /** In the names of other engines' models, a colon is part of the name. */
  private static boolean isMissedByItsArguments(EngineLimits engines, LimitKey key) {
    EngineLimits.Engine limited = engines.engines().get(key.engine());
    return limited != null
        && WITH_ARGUMENTS.contains(key.engine())
        && limited.names().contains(bare(key.model()))
        && !key.model().equals(bare(key.model()))
        && engines.ceiling(key.engine(), key.model()).equals(EngineLimits.Ceiling.NONE);
  }

  private static String bare(String name) {
    return name.split(":", 2)[0];
  }

  /** A rehearsal learns nothing that holds in earnest. */
  private static Optional<LimitStore> store(
      Time time, Host host, LimitOptions limits, RunTrace trace) {
    if (host.rehearsal().isPresent() || !host.memory().isOn(limits.memory())) {
      return Optional.empty();
    }
    Optional<LimitStore> store = LimitStore.of(host.environment(), time);
    if (store.isEmpty() && limits.memory().isPresent()) {
      trace.warn(
          "limits are neither recalled nor saved: no state directory is known; set HOME or "
              + StateDirectory.VARIABLE);
    }
    return store;
  }

  private static PriceTable prices(ModelOptions options, Map<String, String> environment) {
    return options
        .prices()
        .map(PriceTable::read)
        .map(PriceTable.builtIn()::with)
        .orElseGet(() -> PriceTable.of(environment));
  }

  /**
   * A model to evaluate.
   *
   * @param task the name of what is evaluated, for the journal of batches
   * @param logDir where that journal is kept
   */
  OpenModel evaluated(ModelName name, String task, Path logDir, RunOptions options) {
    Adapter adapter = adapter(name, options.modelArguments(), options.models().modelBaseUrl());
    Optional<BatchSettings> batch = options.models().batch();
    Optional<URI> baseUrl = options.models().modelBaseUrl();
    // A rehearsal sends no batches; their price is what it is about.
    return batch.isPresent() && rehearsal.isEmpty()
        ? batched(name, adapter, batch.get(), task, logDir, options)
        : live(
            name,
            followed(name, adapter, options.modelArguments(), baseUrl),
            options.modelArguments(),
            options.limits(),
            batch.isPresent());
  }

  /** By their roles; they take what limits say, but not the tier of the evaluated model. */
  Map<String, OpenModel> roles(RunOptions options) {
    Map<String, OpenModel> roles = new LinkedHashMap<>();
    roleNames.addAll(options.modelRoles().keySet());
    options
        .modelRoles()
        .forEach((role, word) -> roles.put(role, role(role, word, options.limits().withoutTier())));
    return roles;
  }

  /**
   * By their roles, where no model is evaluated: what is said of a model's tier and server is said
   * of them.
   */
  Map<String, OpenModel> graders(RunOptions options) {
    Map<String, OpenModel> graders = new LinkedHashMap<>();
    options
        .modelRoles()
        .forEach(
            (role, word) ->
                graders.put(
                    role, role(role, word, options.limits(), options.models().modelBaseUrl())));
    return graders;
  }

  /** A model for a role, as it is written. */
  OpenModel role(String role, String word, LimitOptions limits) {
    return role(role, word, limits, Optional.empty());
  }

  private OpenModel role(String role, String word, LimitOptions limits, Optional<URI> usualUrl) {
    RoleModel given = RoleModel.parse(role, word);
    Optional<URI> baseUrl = given.baseUrl().or(() -> usualUrl);
    Adapter adapter = adapter(given.name(), given.arguments(), baseUrl);
    return live(
        given.name(),
        followed(given.name(), adapter, given.arguments(), baseUrl),
        given.arguments(),
        limits,
        false);
  }

  /** A model with its lane; each run sees it through adapters of its own. */
  final class OpenModel {

    private final ModelName name;
    private final Adapter adapter;
    private final Lane lane;
    private final Map<String, String> arguments;
    private final boolean batched;

    private OpenModel(
        ModelName name,
        Adapter adapter,
        Lane lane,
        Map<String, String> arguments,
        boolean batched) {
      this.name = name;
      this.adapter = adapter;
      this.lane = lane;
      this.arguments = arguments;
      this.batched = batched;
    }

    /** As a run sees it, which is told when its calls begin and end. */
    PricedModel watched(CallWatch watch) {
      return priced(watch, Optional.empty());
    }

    /** As {@link #watched(CallWatch)}, and what was answered before is not asked again. */
    PricedModel watched(CallWatch watch, TrialMemory memory) {
      return priced(watch, Optional.of(memory));
    }

    private PricedModel priced(CallWatch watch, Optional<TrialMemory> memory) {
      ModelMeter meter = trace.meters().of(name, lane);
      Optional<Price> price = prices.priceOf(name);
      Adapter metered = meter.metered(watch.watched(adapter, price, batched));
      var silent = new Model(time, name, metered, lane, trace::attempted);
      Model model = listener().map(silent::with).orElse(silent);
      if (cache.isEmpty()) {
        cache =
            options
                .models()
                .cache()
                .filter(_ -> rehearsal.isEmpty())
                .map(age -> CacheOptions.open(time, age, environment));
      }
      Model cached = cache.map(kept -> model.with(kept, arguments)).orElse(model);
      return new PricedModel(
          memory.map(known -> cached.with(known.of(price, batched), arguments)).orElse(cached),
          price,
          batched,
          new ModelCount(Optional.of(meter)));
    }

    ModelName name() {
      return name;
    }

    /** Where it is asked, as far as that shapes answers; empty if there is but one place. */
    String endpoint() {
      return adapter.endpoint();
    }

    /** What regulates its calls. */
    Lane lane() {
      return lane;
    }

    /** How its calls are regulated: {@code pace}. */
    String mode() {
      return lane.mode().word();
    }

    /** The most calls that may ever be in flight. */
    int mostInFlight() {
      return lane.mode().mostInFlight();
    }
  }

  /**
   * A limit in dollars means nothing for a model whose price nobody knows.
   *
   * @throws ConfigurationException if there is such a model
   */
  void requirePrices(List<ModelName> evaluated, RunOptions options) {
    if (options.budget().maxCost().isEmpty() && options.sampleLimits().cost().isEmpty()) {
      return;
    }
    List<ModelName> all = new ArrayList<>(evaluated);
    options.modelRoles().forEach((role, word) -> all.add(RoleModel.parse(role, word).name()));
    requirePrices(all, "`max_cost` and `cost_limit` cannot be kept");
  }

  /**
   * @param otherwise what cannot be done without prices
   */
  void requirePrices(List<ModelName> names, String otherwise) {
    for (ModelName name : names) {
      if (prices.priceOf(name).isEmpty()) {
        throw new ConfigurationException(
            "nobody knows what %s costs, so %s; give its price with --prices"
                .formatted(name, otherwise));
      }
    }
  }

  /** Of all models, those with batches included. */
  List<ModelProgress> progress() {
    return trace.meters().progress();
  }

  /** The models whose calls are regulated. */
  List<String> names() {
    synchronized (regulated) {
      return List.copyOf(regulated.keySet());
    }
  }

  /** How the calls to a model are regulated, if they are. */
  Optional<Mode> mode(String name) {
    return lanes(name).stream().findFirst().map(Lane::mode);
  }

  /** Regulates them in another way from now on. */
  void retune(String name, Mode mode, RateCeiling ceiling) {
    lanes(name)
        .forEach(
            lane -> {
              lane.retune(mode);
              lane.limitTo(ceiling);
            });
  }

  /** What may be sent to a model per minute, beside its mode. */
  RateCeiling ceiling(String name) {
    return lanes(name).stream().findFirst().map(Lane::ceiling).orElse(RateCeiling.NONE);
  }

  /** Lets no call leave, or lets them go again. */
  void hold(boolean wanted) {
    regulator.hold(wanted);
  }

  private List<Lane> lanes(String name) {
    synchronized (regulated) {
      return List.copyOf(regulated.getOrDefault(name, Set.of()));
    }
  }

  /** The roles that were given a model of their own. */
  Set<String> roleNames() {
    return Set.copyOf(roleNames);
  }

  /** All models are opened that are known beforehand. */
  void opened() {
    if (!areOpened) {
      areOpened = true;
      warnOfUnknown(configured);
    }
  }

  /** Before the first call. */
  void begin() {
    opened();
    serving = metrics.map(used -> used.server.start(used.place, telemetry.orElseThrow()));
    export =
        exporter
            .map(used -> used.start(time, environment, trace::warn))
            .orElse(CallExporter.Export.NONE);
    memory.begin();
    if (rehearsal.isEmpty()) {
      engineLimits.begin();
    }
    outOfDate.ifPresent(OutOfDateLimits::begin);
  }

  /** Reads the limits of engines again. */
  void reloadEngineLimits() {
    engineLimits.reload();
  }

  /** The run has all its answers: nobody will ask for those in batches again. */
  void finish() {
    try {
      journals.forEach(BatchJournal::finish);
    } catch (ConfigurationException unwritable) {
      // The result is safe; the next run asks in vain for what it has no use for.
      trace.warn(String.valueOf(unwritable.getMessage()));
    }
  }

  /** Requests that batches hold and nobody has collected: they may well be paid for. */
  int uncollected() {
    return batching.stream().mapToInt(BatchingAdapter::openRequests).sum();
  }

  /** Why answers could not be kept, if that happened. */
  Optional<String> cacheProblem() {
    return cache.flatMap(ResponseCache::problem);
  }

  @Override
  public void close() {
    try (memory;
        engineLimits;
        var _ = outOfDate.orElse(null);
        var _ = serving.orElse(() -> {});
        var _ = export) {
      batching.forEach(BatchingAdapter::close);
      journals.forEach(BatchJournal::close);
    }
  }

  private Adapter adapter(ModelName name, Map<String, String> arguments, Optional<URI> baseUrl) {
    Provider provider = Providers.find(name);
    if (rehearsal.isPresent()) {
      // It opens none, but what a run would refuse is told all the same.
      provider.check(name, arguments);
      return rehearsal.get().open(name);
    }
    return provider.holdsState()
        ? shared.computeIfAbsent(
            new SharedAdapter(name, arguments, baseUrl),
            _ -> opened(provider, name, arguments, baseUrl))
        : opened(provider, name, arguments, baseUrl);
  }

  private record SharedAdapter(
      ModelName name, Map<String, String> arguments, Optional<URI> baseUrl) {

    SharedAdapter {
      arguments = Map.copyOf(arguments);
    }
  }

  /** Follows a credential that stands in a file. */
  private Adapter followed(
      ModelName name, Adapter adapter, Map<String, String> arguments, Optional<URI> baseUrl) {
    if (rehearsal.isPresent()) {
      return adapter;
    }
    return RotatedCredential.followed(
        adapter,
        environment,
        changed -> opened(Providers.find(name), name, arguments, baseUrl, changed));
  }

  private Adapter opened(
      Provider provider, ModelName name, Map<String, String> arguments, Optional<URI> baseUrl) {
    return opened(provider, name, arguments, baseUrl, environment);
  }

  private Adapter opened(
      Provider provider,
      ModelName name,
      Map<String, String> arguments,
      Optional<URI> baseUrl,
      Map<String, String> environment) {
    var surroundings = new Surroundings(time, seed, environment, baseUrl);
    Adapter adapter = provider.open(name, arguments, surroundings.forAccount(name));
    if (!name.account().isEmpty()) {
      requireOther(provider, name, arguments, surroundings, adapter);
    }
    return adapter;
  }

  /** An account whose name is misspelt would use the credential of the usual one. */
  private static void requireOther(
      Provider provider,
      ModelName name,
      Map<String, String> arguments,
      Surroundings surroundings,
      Adapter adapter) {
    boolean isUsual;
    try {
      isUsual =
          provider.open(name.withoutAccount(), arguments, surroundings).key().equals(adapter.key());
    } catch (ConfigurationException missing) {
      isUsual = false;
    }
    if (isUsual) {
      throw new ConfigurationException(
          "model '%s': the account '%s' is the same as that of %s; set its credential or its address in variables that end in %s, such as %s"
              .formatted(
                  name,
                  name.account(),
                  name.withoutAccount(),
                  name.variable(""),
                  name.variable(credential(name))));
    }
  }

  /** A variable that may hold the credential of such models, as an example. */
  private static String credential(ModelName name) {
    var named = CREDENTIAL.matcher(Providers.find(name).help(name.provider()));
    return named.find() ? named.group() : "OPENAI_API_KEY";
  }

  private OpenModel live(
      ModelName name,
      Adapter adapter,
      Map<String, String> arguments,
      LimitOptions limits,
      boolean pricedAsBatch) {
    Mode mode = adapter.isLimited() ? limits.mode() : limits.modeWithoutProvider();
    memory.recall(adapter.key(), name, adapter.endpoint());
    // In a rehearsal nothing hangs, either.
    RetryBounds bounds =
        adapter.isLimited() && rehearsal.isEmpty()
            ? limits.retryBounds()
            : limits.retryBoundsWithoutProvider();
    boolean isKnown = lanes.containsKey(adapter.key());
    Lane lane = lanes.computeIfAbsent(adapter.key(), key -> regulator.lane(key, mode, bounds));
    called.add(adapter.key());
    telemetry.ifPresent(used -> used.watch(lane));
    if (rehearsal.isEmpty()) {
      lane.boundOutage(limits.outageBounds(isWatched));
    }
    if (limits.hasTier() || !isKnown) {
      // A role may have opened the lane of the evaluated model, whose tier it does not know.
      if (!lane.mode().equals(mode)) {
        lane.retune(mode);
      }
      lane.limitTo(limits.ceiling(mode));
    }
    synchronized (regulated) {
      regulated.computeIfAbsent(name.toString(), _ -> new LinkedHashSet<>()).add(lane);
    }
    return new OpenModel(name, adapter, lane, arguments, pricedAsBatch);
  }

  /** Batches have a quota of their own, so nothing regulates them. */
  private OpenModel batched(
      ModelName name,
      Adapter adapter,
      BatchSettings settings,
      String task,
      Path logDir,
      RunOptions options) {
    if (!(adapter instanceof BatchAdapter offering)) {
      throw new ConfigurationException(
          "model '%s' takes no batches; leave --batch out, or take a model of openai or anthropic"
              .formatted(name));
    }
    var journal = BatchJournal.open(logDir.resolve("batches"), task + " on " + name, time);
    journals.add(journal);
    var gathering =
        new BatchingAdapter(
            time, name, offering, settings, journal, trace::batched, trace::attempted);
    batching.add(gathering);
    LimitKey key = adapter.key();
    RetryBounds bounds = options.limits().retryBounds();
    Lane lane =
        regulator.batchLane(
            LimitKey.of(key.engine(), key.account(), key.model() + " (batch)"),
            new Mode.Static(BatchingAdapter.WINDOW),
            // An attempt takes as long as its batch, and there is no queue.
            new RetryBounds(
                bounds.maxRetries(),
                bounds.timeout(),
                AttemptTimeout.OFF,
                Optional.empty(),
                bounds.requestBackoff(),
                bounds.retry5xx(),
                OptionalInt.empty()));
    return new OpenModel(name, gathering, lane, options.modelArguments(), true);
  }
}

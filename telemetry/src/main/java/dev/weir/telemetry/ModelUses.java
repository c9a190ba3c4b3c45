package dev.weir.telemetry;

import dev.weir.limits.EngineLimits;
import dev.weir.model.ModelCall;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The use of each model and engine, by their labels.
 *
 * <p>Clients of a gateway may make up names of models: once there are too many, new ones count
 * under {@value ModelLabels#OTHER} of their engine, and those of one engine too many under {@value
 * ModelLabels#OTHER} of an engine of that name. Names that limits are configured for always have
 * labels of their own. Thread-safe.
 */
final class ModelUses {

  private final int mostNames;
  // Looked up for each event, and sorted for each scrape.
  private final Map<ModelLabels, ModelUse> models = new ConcurrentHashMap<>();
  private final Map<String, EngineUse> engines = new ConcurrentHashMap<>();
  // Calls in progress whose names were too many: they end where they began, also when their name is
  // configured meanwhile.
  private final Map<ModelCall, ModelUse> unnamed = new ConcurrentHashMap<>();
  // Guarded by this.
  private final Set<String> engineNames = new HashSet<>();
  private int names;
  private volatile EngineLimits limits = EngineLimits.NONE;

  /**
   * @param mostNames of models, and likewise of engines
   */
  ModelUses(int mostNames) {
    this.mostNames = mostNames;
  }

  /** In the order of their labels. */
  Collection<ModelUse> models() {
    return new TreeMap<>(models).values();
  }

  /** In the order of their names. */
  Collection<EngineUse> engines() {
    return new TreeMap<>(engines).values();
  }

  /** The use of the engine of a model. */
  EngineUse engine(ModelUse model, long now) {
    String name = model.labels().engine();
    EngineUse known = engines.get(name);
    return known == null ? engines.computeIfAbsent(name, _ -> new EngineUse(name, now)) : known;
  }

  @Nullable ModelUse find(ModelLabels labels) {
    return models.get(labels);
  }

  /** The use of a model, also if it is one too many. */
  ModelUse model(ModelLabels labels, long now) {
    ModelUse known = models.get(labels);
    return known == null ? opened(labels, now) : known;
  }

  /** The use that a call counts in, from its first event to its last. */
  ModelUse of(ModelCall call, long now) {
    if (!unnamed.isEmpty()) {
      ModelUse kept = unnamed.get(call);
      if (kept != null) {
        return kept;
      }
    }
    return model(ModelLabels.of(call.key()), now);
  }

  void begin(ModelCall call, long now) {
    ModelUse use = of(call, now);
    if (!use.labels().equals(ModelLabels.of(call.key()))) {
      unnamed.put(call, use);
    }
  }

  void end(ModelCall call) {
    if (!unnamed.isEmpty()) {
      unnamed.remove(call);
    }
  }

  /** Publishes what is configured, and forgets what was configured before. */
  synchronized void limitTo(EngineLimits configured, long now) {
    limits = configured;
    configured
        .engines()
        .forEach(
            (name, engine) -> {
              engineNames.add(name);
              engines.computeIfAbsent(name, each -> new EngineUse(each, now));
              engine.models().keySet().stream()
                  // A pattern is no model; those that it matches are published when they are used.
                  .filter(model -> !model.contains("*"))
                  .forEach(
                      model ->
                          models.computeIfAbsent(
                              new ModelLabels(name, model), labels -> new ModelUse(labels, now)));
            });
    engines.forEach((name, use) -> use.limitTo(now, configured.concurrency(name)));
    models.values().forEach(use -> limit(use, now));
  }

  /** Why what is configured for a model seems not to be what its engine allows. */
  Set<OutOfDate.Reason> outOfDate(ModelUse use, long now) {
    EngineUse engine = engines.get(use.labels().engine());
    return use.outOfDate(now, engine != null && engine.isLimited());
  }

  private ModelUse limit(ModelUse use, long now) {
    EngineLimits configured = limits;
    String engine = use.labels().engine();
    // Many models together have none, whatever pattern their name matches.
    use.limitTo(
        now,
        use.labels().isOther()
            ? EngineLimits.Ceiling.NONE
            : configured.ceiling(engine, use.labels().model()));
    use.require(
        !configured.engines().isEmpty()
            && !configured.limits(engine, use.labels().model())
            && !use.labels().isOther());
    return use;
  }

  private synchronized ModelUse opened(ModelLabels labels, long now) {
    boolean isKnownEngine = isNamed(labels.engine());
    if (!isKnownEngine || (models.get(labels) == null && names >= mostNames)) {
      String engine = isKnownEngine ? labels.engine() : ModelLabels.OTHER;
      return models.computeIfAbsent(
          new ModelLabels(engine, ModelLabels.OTHER), other -> new ModelUse(other, now));
    }
    return models.computeIfAbsent(
        labels,
        wanted -> {
          names++;
          return limit(new ModelUse(wanted, now), now);
        });
  }

  /** Whether an engine has a label of its own. */
  private synchronized boolean isNamed(String engine) {
    return engineNames.contains(engine)
        || (engineNames.size() < mostNames && engineNames.add(engine));
  }
}

package dev.weir.telemetry;

import dev.weir.limits.EngineLimits;
import dev.weir.model.ModelCall;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The use of each model and engine, by their labels.
 *
 * <p>Clients of a gateway may make up names of models: once there are too many, new ones count
 * under {@value ModelLabels#OTHER} of their engine. Names that limits are configured for always
 * have labels of their own. Thread-safe.
 */
final class ModelUses {

  private final int mostNames;
  private final Map<ModelLabels, ModelUse> models = new ConcurrentSkipListMap<>();
  private final Map<String, EngineUse> engines = new ConcurrentSkipListMap<>();
  // Calls in progress whose names were too many: they end where they began, also when their name is
  // configured meanwhile.
  private final Map<ModelCall, ModelUse> unnamed = new ConcurrentHashMap<>();
  // Guarded by this.
  private int names;
  private volatile EngineLimits limits = EngineLimits.NONE;

  ModelUses(int mostNames) {
    this.mostNames = mostNames;
  }

  Collection<ModelUse> models() {
    return models.values();
  }

  Collection<EngineUse> engines() {
    return engines.values();
  }

  EngineUse engine(String name, long now) {
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
    if (!use.labels().model().equals(call.key().model())) {
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
              engine(name, now);
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
    if (models.get(labels) == null && names >= mostNames) {
      return models.computeIfAbsent(labels.other(), other -> new ModelUse(other, now));
    }
    return models.computeIfAbsent(
        labels,
        wanted -> {
          names++;
          return limit(new ModelUse(wanted, now), now);
        });
  }
}

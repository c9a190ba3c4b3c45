package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts the calls to each engine and to each of its models, over all accounts, against {@link
 * EngineLimits}. It counts from the first call, so that limits can be set or changed at any time.
 * Guarded by the lock of the regulator.
 */
final class EngineCeilings {

  // As configured, and of these what is enforced.
  private EngineLimits known = EngineLimits.NONE;
  private EngineLimits limits = EngineLimits.NONE;
  private final Map<String, Scope> engines = new LinkedHashMap<>();
  private final Map<String, Map<String, OfModel>> models = new LinkedHashMap<>();

  /**
   * What the calls of one model are counted in.
   *
   * @param engine all calls to its engine
   * @param model all calls to it
   * @param rates what may be sent to it per minute
   */
  record OfModel(Scope engine, Scope model, CeilingMeter rates) {

    boolean isBounded() {
      return engine.isBounded() || model.isBounded() || rates.isSet();
    }
  }

  OfModel of(LimitKey key) {
    return models
        .computeIfAbsent(key.engine(), _ -> new LinkedHashMap<>())
        .computeIfAbsent(key.model(), _ -> opened(key));
  }

  private OfModel opened(LimitKey key) {
    Scope engine =
        engines.computeIfAbsent(
            key.engine(), name -> bounded(new Scope(name, Constraint.ENGINE_LIMIT), name));
    var model =
        new OfModel(
            engine,
            new Scope(key.engine() + "/" + key.model(), Constraint.ENGINE_LIMIT),
            new CeilingMeter());
    limit(model, limits.ceiling(key.engine(), key.model()));
    return model;
  }

  /** Whether limits are configured for a model, enforced or not. */
  boolean isConfigured(LimitKey key) {
    return !known.ceiling(key.engine(), key.model()).equals(EngineLimits.Ceiling.NONE)
        || known.concurrency(key.engine()).isPresent();
  }

  /** Replaces all limits. Lowering never pre-empts. Limits that are not enforced bind nothing. */
  void limitTo(EngineLimits configured) {
    known = configured;
    EngineLimits newLimits = configured.onlyEnforced();
    limits = newLimits;
    engines.forEach((name, scope) -> bounded(scope, name));
    models.forEach(
        (engine, opened) ->
            opened.forEach((name, model) -> limit(model, newLimits.ceiling(engine, name))));
  }

  private Scope bounded(Scope scope, String engine) {
    scope.boundTo(limits.concurrency(engine).orElse(Scope.UNBOUNDED));
    return scope;
  }

  private static void limit(OfModel model, EngineLimits.Ceiling ceiling) {
    model.model().boundTo(ceiling.concurrency().orElse(Scope.UNBOUNDED));
    model.rates().limitTo(ceiling.rates());
  }
}

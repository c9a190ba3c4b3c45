package dev.weir.limits;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * What model engines allow, as a platform team configures it: ceilings on what is in flight and on
 * what is sent per minute, which nothing raises. They hold for all accounts of an engine together.
 *
 * <p>Limits are confidential: {@link #toString} does not show them.
 *
 * @param engines by their names, as {@link LimitKey#engine()} has them
 */
public record EngineLimits(Map<String, Engine> engines) {

  public static final EngineLimits NONE = new EngineLimits(Map.of());

  public EngineLimits {
    engines = Map.copyOf(engines);
  }

  /**
   * The ceilings of one engine.
   *
   * @param models by their names, as {@link LimitKey#model()} has them
   * @param ownConcurrency calls in flight to all its models together, if that is configured
   */
  public record Engine(Map<String, Ceiling> models, OptionalInt ownConcurrency) {

    public Engine {
      models = Map.copyOf(models);
      requirePositive(ownConcurrency);
    }

    /** Without a limit of its own. */
    public Engine(Map<String, Ceiling> models) {
      this(models, OptionalInt.empty());
    }

    /** Calls in flight to all its models together: the highest of theirs, unless it has its own. */
    public OptionalInt concurrency() {
      return ownConcurrency.isPresent()
          ? ownConcurrency
          : models.values().stream()
              .map(Ceiling::concurrency)
              .filter(OptionalInt::isPresent)
              .mapToInt(OptionalInt::getAsInt)
              .max();
    }

    private Engine lowest(Engine other) {
      Map<String, Ceiling> all = new LinkedHashMap<>(models);
      other.models.forEach((name, ceiling) -> all.merge(name, ceiling, Ceiling::lowest));
      return new Engine(all, lower(ownConcurrency, other.ownConcurrency));
    }

    @Override
    public String toString() {
      return "Engine[models=%s]".formatted(new TreeMap<>(models).keySet());
    }
  }

  /**
   * The ceilings of one model.
   *
   * @param concurrency calls in flight
   */
  public record Ceiling(OptionalInt concurrency, RateCeiling rates) {

    public static final Ceiling NONE = new Ceiling(OptionalInt.empty(), RateCeiling.NONE);

    public Ceiling {
      requirePositive(concurrency);
    }

    private Ceiling lowest(Ceiling other) {
      return new Ceiling(lower(concurrency, other.concurrency), rates.lowest(other.rates));
    }

    @Override
    public String toString() {
      return "Ceiling[…]";
    }
  }

  /** Both: of each ceiling the lower one. */
  public EngineLimits lowest(EngineLimits other) {
    Map<String, Engine> all = new LinkedHashMap<>(engines);
    other.engines.forEach((name, engine) -> all.merge(name, engine, Engine::lowest));
    return new EngineLimits(all);
  }

  /** Calls in flight to an engine; empty if nothing is configured. */
  public OptionalInt concurrency(String engine) {
    Engine known = engines.get(engine);
    return known == null ? OptionalInt.empty() : known.concurrency();
  }

  /** The ceilings of a model; none if nothing is configured. */
  public Ceiling ceiling(String engine, String model) {
    Engine known = engines.get(engine);
    return known == null ? Ceiling.NONE : known.models().getOrDefault(model, Ceiling.NONE);
  }

  private static OptionalInt lower(OptionalInt one, OptionalInt other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isPresent() ? one : other;
    }
    return OptionalInt.of(Math.min(one.getAsInt(), other.getAsInt()));
  }

  private static void requirePositive(OptionalInt concurrency) {
    if (concurrency.orElse(1) < 1) {
      throw new IllegalArgumentException("a limit on calls in flight must be >= 1");
    }
  }

  @Override
  public String toString() {
    return "EngineLimits" + new TreeMap<>(engines);
  }
}

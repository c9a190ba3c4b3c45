package dev.weir.limits;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What model engines allow, as a platform team configures it: ceilings on what is in flight and on
 * what is sent per minute, which nothing raises. They hold for all accounts of an engine together.
 *
 * <p>Limits are confidential: {@link #toString} does not show them.
 *
 * @param engines by their names, as {@link LimitKey#engine()} has them: what use is measured
 *     against
 * @param enforced those of them that calls wait for, which are of other sources than the rest
 */
public record EngineLimits(Map<String, Engine> engines, Map<String, Engine> enforced) {

  public static final EngineLimits NONE = new EngineLimits(Map.of());

  public EngineLimits {
    engines = Map.copyOf(engines);
    enforced = Map.copyOf(enforced);
  }

  /** Limits that are enforced. */
  public EngineLimits(Map<String, Engine> engines) {
    this(engines, engines);
  }

  /**
   * Limits of one source.
   *
   * @param isEnforced whether calls wait for them; else use is only measured against them
   */
  public EngineLimits(Map<String, Engine> engines, boolean isEnforced) {
    this(engines, isEnforced ? engines : Map.of());
  }

  /**
   * The ceilings of one engine.
   *
   * @param models by their names, as {@link LimitKey#model()} has them; in a name, {@code *} stands
   *     for any characters, and each model that it matches has these limits to itself
   * @param ownConcurrency calls in flight to all its models together, if that is configured
   * @param others what other sources say of the same engine, which holds as well
   */
  public record Engine(
      Map<String, Ceiling> models, OptionalInt ownConcurrency, List<Engine> others) {

    public Engine {
      models = Map.copyOf(models);
      others = List.copyOf(others);
      requirePositive(ownConcurrency);
    }

    /** Of one source. */
    public Engine(Map<String, Ceiling> models, OptionalInt ownConcurrency) {
      this(models, ownConcurrency, List.of());
    }

    /** Without a limit of its own. */
    public Engine(Map<String, Ceiling> models) {
      this(models, OptionalInt.empty());
    }

    /** The names and patterns of all sources. */
    public Set<String> names() {
      return sources()
          .flatMap(engine -> engine.models.keySet().stream())
          .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Calls in flight to all its models together: of each source the highest of its models, unless
     * it says so itself; of several sources the lowest.
     */
    public OptionalInt concurrency() {
      return sources()
          .map(Engine::concurrencyOfSource)
          .filter(OptionalInt::isPresent)
          .mapToInt(OptionalInt::getAsInt)
          .min();
    }

    private OptionalInt concurrencyOfSource() {
      return ownConcurrency.isPresent()
          ? ownConcurrency
          : models.values().stream()
              .map(Ceiling::concurrency)
              .filter(OptionalInt::isPresent)
              .mapToInt(OptionalInt::getAsInt)
              .max();
    }

    private Stream<Engine> sources() {
      return Stream.concat(Stream.of(this), others.stream());
    }

    private boolean isBounded() {
      return sources().anyMatch(engine -> engine.ownConcurrency.isPresent());
    }

    private Ceiling ceiling(String model) {
      return sources()
          .map(engine -> engine.ceilingOfSource(model))
          .reduce(Ceiling.NONE, Ceiling::lowest);
    }

    /** Of an exact name, else of the longest pattern that matches. */
    private Ceiling ceilingOfSource(String model) {
      Ceiling exact = models.get(model);
      return exact != null
          ? exact
          : models.entrySet().stream()
              .filter(entry -> isMatch(entry.getKey(), model))
              .max(
                  Comparator.comparingInt((Map.Entry<String, Ceiling> it) -> it.getKey().length())
                      .thenComparing(Map.Entry::getKey))
              .map(Map.Entry::getValue)
              .orElse(Ceiling.NONE);
    }

    private static boolean isMatch(String pattern, String model) {
      String[] parts = pattern.split("\\*", -1);
      if (parts.length == 1) {
        return false;
      }
      String last = parts[parts.length - 1];
      int end = model.length() - last.length();
      if (!model.startsWith(parts[0]) || !model.endsWith(last)) {
        return false;
      }
      int at = parts[0].length();
      for (int i = 1; i < parts.length - 1; i++) {
        int found = model.indexOf(parts[i], at);
        if (found < 0) {
          return false;
        }
        at = found + parts[i].length();
      }
      return at <= end;
    }

    private Engine lowest(Engine other) {
      return new Engine(
          models,
          ownConcurrency,
          Stream.of(others.stream(), Stream.of(other), other.others.stream())
              .flatMap(engines -> engines)
              .map(engine -> new Engine(engine.models, engine.ownConcurrency))
              .toList());
    }

    @Override
    public String toString() {
      return "Engine[models=%s]".formatted(new TreeSet<>(names()));
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

  /**
   * Those of two sources: of each ceiling the lower one. That one source is not enforced takes
   * nothing from the other.
   */
  public EngineLimits lowest(EngineLimits other) {
    return new EngineLimits(lowest(engines, other.engines), lowest(enforced, other.enforced));
  }

  private static Map<String, Engine> lowest(Map<String, Engine> some, Map<String, Engine> others) {
    Map<String, Engine> all = new LinkedHashMap<>(some);
    others.forEach((name, engine) -> all.merge(name, engine, Engine::lowest));
    return all;
  }

  /** What calls wait for. */
  public EngineLimits onlyEnforced() {
    return new EngineLimits(enforced);
  }

  /** Whether calls wait for all of it. */
  public boolean isEnforced() {
    return engines.equals(enforced);
  }

  /** Calls in flight to an engine; empty if nothing is configured. */
  public OptionalInt concurrency(String engine) {
    Engine known = engines.get(engine);
    return known == null ? OptionalInt.empty() : known.concurrency();
  }

  /** The ceilings of a model; none if nothing is configured. */
  public Ceiling ceiling(String engine, String model) {
    Engine known = engines.get(engine);
    return known == null ? Ceiling.NONE : known.ceiling(model);
  }

  /** Whether anything is configured that holds for a model: for itself, or for all its engine. */
  public boolean limits(String engine, String model) {
    Engine known = engines.get(engine);
    return known != null && (known.isBounded() || !known.ceiling(model).equals(Ceiling.NONE));
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

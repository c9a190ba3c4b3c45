package dev.weir.selection;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Selectors by name, with their parameters and defaults. */
public final class Selectors {

  /**
   * What {@code auto} is: each of ten looks drops the arms that are two standard errors of the
   * paired difference behind the leader. docs/selection.md has the figures for it.
   */
  public static final Selector AUTO = new Selector.LeaderElimination(0, 1, 2);

  private static final Map<String, Entry> ENTRIES = new LinkedHashMap<>();

  private record Entry(Map<String, Double> defaults, Function<Values, Selector> make) {}

  /** Given parameters over defaults. */
  private record Values(Map<String, Double> values) {
    double number(String name) {
      return values.getOrDefault(name, Double.NaN);
    }

    int whole(String name) {
      double value = number(name);
      if (value != Math.rint(value) || Math.abs(value) > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "`%s` must be a whole number, was %s".formatted(name, value));
      }
      return (int) value;
    }
  }

  static {
    put("auto", Map.of(), _ -> AUTO);
    put("brute_force", Map.of(), _ -> new Selector.BruteForce());
    put(
        "random",
        Map.of("sample_fraction", 0.25),
        v -> new Selector.RandomSearch(v.number("sample_fraction")));
    put(
        "hill_climbing",
        Map.of("max_iterations", 20.0, "num_restarts", 3.0, "patience", 3.0, "batch_size", 1.0),
        v ->
            new Selector.HillClimbing(
                v.whole("max_iterations"),
                v.whole("num_restarts"),
                v.whole("patience"),
                v.whole("batch_size")));
    put(
        "arm_elimination",
        Map.of("n_initial", 0.0, "growth_factor", 2.0, "confidence", 1.0),
        v ->
            new Selector.ArmElimination(
                v.whole("n_initial"), v.number("growth_factor"), v.number("confidence"), false));
    put(
        "threshold",
        Map.of("threshold", 0.75, "n_initial", 0.0, "delta", 0.05),
        v ->
            new Selector.ThresholdElimination(
                v.number("threshold"), v.whole("n_initial"), v.number("delta")));
    put(
        "epsilon_lucb",
        Map.of("epsilon", 0.01, "n_initial", 1.0, "delta", 0.05),
        v ->
            new Selector.EpsilonLucb(v.number("epsilon"), v.whole("n_initial"), v.number("delta")));
    put(
        "bayesian",
        Map.of("sample_fraction", 0.25, "batch_size", 1.0),
        v -> new Selector.BayesianOptimisation(v.number("sample_fraction"), v.whole("batch_size")));
    put(
        "sequential_halving",
        Map.of("sample_fraction", 0.25),
        v -> new Selector.SequentialHalving(v.number("sample_fraction")));
    put(
        "leader_elimination",
        Map.of("n_initial", 0.0, "growth_factor", 1.0, "confidence", 2.0),
        v ->
            new Selector.LeaderElimination(
                v.whole("n_initial"), v.number("growth_factor"), v.number("confidence")));
    put(
        "paired_elimination",
        Map.of("n_initial", 0.0, "growth_factor", 1.0, "delta", 0.05),
        v ->
            new Selector.PairedElimination(
                v.whole("n_initial"), v.number("growth_factor"), v.number("delta")));
    put(
        "top_two",
        Map.of("sample_fraction", 0.25, "batch", 0.0),
        v -> new Selector.TopTwo(v.number("sample_fraction"), v.whole("batch")));
  }

  private Selectors() {}

  private static void put(
      String name, Map<String, Double> defaults, Function<Values, Selector> make) {
    ENTRIES.put(name, new Entry(defaults, make));
  }

  /** AgentOpt's default as it documents it, to compare with. */
  public static Selector documentedArmElimination() {
    return new Selector.ArmElimination(0, 2, 1, true);
  }

  /** All names, {@code auto} first. */
  public static List<String> names() {
    return List.copyOf(ENTRIES.keySet());
  }

  /** The parameters of a selector with their defaults. */
  public static Map<String, Double> parameters(String name) {
    return entry(name).defaults;
  }

  /**
   * A selector with its defaults, save for the parameters given.
   *
   * @throws IllegalArgumentException for an unknown name or parameter, or a value out of range
   */
  public static Selector named(String name, Map<String, Double> parameters) {
    Entry entry = entry(name);
    Set<String> known = entry.defaults.keySet();
    for (String parameter : parameters.keySet()) {
      if (!known.contains(parameter)) {
        throw new IllegalArgumentException(
            "selector '%s' has no parameter '%s'; it has %s"
                .formatted(
                    name,
                    parameter,
                    known.isEmpty()
                        ? "none"
                        : String.join(", ", known.stream().sorted().toList())));
      }
    }
    Map<String, Double> values = new LinkedHashMap<>(entry.defaults);
    values.putAll(parameters);
    return entry.make.apply(new Values(values));
  }

  /** The name of a kind of selector. */
  public static String name(Selector selector) {
    return switch (selector) {
      case Selector.BruteForce _ -> "brute_force";
      case Selector.RandomSearch _ -> "random";
      case Selector.HillClimbing _ -> "hill_climbing";
      case Selector.ArmElimination _ -> "arm_elimination";
      case Selector.ThresholdElimination _ -> "threshold";
      case Selector.EpsilonLucb _ -> "epsilon_lucb";
      case Selector.BayesianOptimisation _ -> "bayesian";
      case Selector.SequentialHalving _ -> "sequential_halving";
      case Selector.LeaderElimination _ -> "leader_elimination";
      case Selector.PairedElimination _ -> "paired_elimination";
      case Selector.TopTwo _ -> "top_two";
    };
  }

  private static Entry entry(String name) {
    Entry entry = ENTRIES.get(name);
    if (entry == null) {
      throw new IllegalArgumentException(
          "there is no selector '%s'; there are %s"
              .formatted(name, String.join(", ", ENTRIES.keySet())));
    }
    return entry;
  }
}

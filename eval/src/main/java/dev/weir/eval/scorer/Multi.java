package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;
import static dev.weir.eval.component.Parameter.required;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.solver.Foresight;
import dev.weir.model.Spelling;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes one score of what several scorers say. */
record Multi(Map<String, Scorer> scorers, Reduction reduction) implements Scorer {

  /** What becomes of several values. */
  enum Reduction {
    MEAN,
    MAX,
    MIN,
    /** The value that most have; the lowest of several. */
    MAJORITY;

    double of(double[] values) {
      Arrays.sort(values);
      return switch (this) {
        case MEAN -> Arrays.stream(values).sum() / values.length;
        case MAX -> values[values.length - 1];
        case MIN -> values[0];
        case MAJORITY -> mostFrequent(values);
      };
    }

    private static double mostFrequent(double[] sorted) {
      double most = sorted[0];
      int best = 0;
      int run = 0;
      for (int i = 0; i < sorted.length; i++) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        if (run > best) {
          best = run;
          most = sorted[i];
        }
      }
      return most;
    }
  }

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "multi",
          "One score of several scorers.",
          List.of(
              required("scorers", Kind.LIST, "The scorers, each a name or a name with arguments."),
              optional(
                  "reducer",
                  Kind.TEXT,
                  "What becomes of their scores: mean, max, min or majority (the lowest of a tie)."
                      + " Default: mean.")),
          Multi::make);

  private static Scorer make(Arguments arguments) {
    Reduction reduction = Words.read(arguments, "reducer", Reduction.class, Reduction.MEAN);
    Object given = arguments.value("scorers").orElse(List.of());
    Map<String, Scorer> scorers = new LinkedHashMap<>();
    for (Object entry : given instanceof List<?> list ? list : List.of(given)) {
      add(arguments, entry, scorers);
    }
    if (scorers.isEmpty()) {
      throw arguments.wrong("scorers", "must name at least one scorer");
    }
    return new Multi(scorers, reduction);
  }

  private static void add(
      Arguments arguments, @Nullable Object entry, Map<String, Scorer> scorers) {
    switch (entry) {
      case String name -> put(arguments, name, Map.of(), scorers);
      case Map<?, ?> map when map.size() == 1 -> {
        Map.Entry<?, ?> only = map.entrySet().iterator().next();
        String name = String.valueOf(only.getKey());
        put(arguments, name, inner(arguments, name, only.getValue()), scorers);
      }
      case null, default ->
          throw arguments.wrong(
              "scorers", "must be a list of names, or of one name each with its arguments");
    }
  }

  private static Map<String, @Nullable Object> inner(
      Arguments arguments, String name, @Nullable Object given) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    switch (given) {
      case null -> {}
      case Map<?, ?> map -> map.forEach((key, value) -> values.put(String.valueOf(key), value));
      default -> {
        Component<Scorer> component = component(arguments, name);
        if (component.parameters().isEmpty()) {
          throw arguments.wrong(
              "scorers", "has arguments for '%s', which takes none".formatted(name));
        }
        values.put(component.parameters().getFirst().name(), given);
      }
    }
    return values;
  }

  private static void put(
      Arguments arguments,
      String name,
      Map<String, @Nullable Object> given,
      Map<String, Scorer> scorers) {
    var own =
        new Arguments(
            given,
            arguments.directory(),
            (key, rule) ->
                arguments.wrong("scorers", "has '%s', whose `%s` %s".formatted(name, key, rule)));
    String unique = name;
    for (int i = 2; scorers.containsKey(unique); i++) {
      unique = name + "_" + i;
    }
    scorers.put(unique, component(arguments, name).make(own));
  }

  private static Component<Scorer> component(Arguments arguments, String name) {
    return Scorers.find(name)
        .orElseThrow(
            () ->
                arguments.wrong(
                    "scorers",
                    "has '%s', which is no scorer%s"
                        .formatted(name, Spelling.hint(name, Scorers.names()))));
  }

  @Override
  public void foresee(Foresight task) {
    scorers.values().forEach(scorer -> scorer.foresee(task));
  }

  @Override
  public Score score(SampleState state, SampleContext context) throws Exception {
    double[] values = new double[scorers.size()];
    Map<String, Object> all = new LinkedHashMap<>();
    int i = 0;
    for (Map.Entry<String, Scorer> scorer : scorers.entrySet()) {
      double value = scorer.getValue().score(state, context).value();
      values[i++] = value;
      all.put(scorer.getKey(), value);
    }
    return Score.of(reduction.of(values)).withMetadata(Map.of("scores", all));
  }
}

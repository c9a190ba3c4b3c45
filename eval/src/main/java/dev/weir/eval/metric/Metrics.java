package dev.weir.eval.metric;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.statistics.Interval;
import dev.weir.statistics.Intervals;
import dev.weir.statistics.Summary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The metrics that a task can name.
 *
 * <ul>
 *   <li>{@code accuracy}, {@code mean}: the mean score, under either name
 *   <li>{@code var}, {@code std}: variance and standard deviation, estimated with n - 1
 *   <li>{@code stderr}: standard error of the mean; {@code cluster}: a key of the metadata, equal
 *       for samples that depend on each other
 *   <li>{@code bootstrap_stderr}: the same by drawing again, {@code num_samples} times (1000) with
 *       {@code seed} (0)
 *   <li>{@code ci}: confidence interval of the mean as {@code ci_low} and {@code ci_high}, at
 *       {@code level} (0.95), with {@code cluster} as above
 *   <li>{@code grouped}: any {@code metric} over all samples and for each value that {@code
 *       group_key} has in the metadata
 * </ul>
 */
public final class Metrics {

  private static final String CLUSTER = "cluster";
  private static final String NUM_SAMPLES = "num_samples";
  private static final String SEED = "seed";
  private static final String LEVEL = "level";
  private static final String METRIC = "metric";
  private static final String GROUP_KEY = "group_key";

  private static final double USUAL_LEVEL = 0.95;
  private static final int USUAL_RESAMPLES = 1_000;
  private static final int MOST_RESAMPLES = 100_000;

  private record Kind(List<String> arguments, Function<Arguments, Metric> make) {}

  private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

  static {
    KINDS.put("accuracy", plain(new SummaryMetric("accuracy", Summary::mean)));
    KINDS.put("mean", plain(new SummaryMetric("mean", Summary::mean)));
    KINDS.put("std", plain(new SummaryMetric("std", Summary::standardDeviation)));
    KINDS.put("var", plain(new SummaryMetric("var", Summary::variance)));
    KINDS.put(
        "stderr", new Kind(List.of(CLUSTER), given -> new StandardError(given.word(CLUSTER))));
    KINDS.put("bootstrap_stderr", new Kind(List.of(NUM_SAMPLES, SEED), Metrics::bootstrap));
    KINDS.put(
        "ci",
        new Kind(
            List.of(LEVEL, CLUSTER),
            given ->
                new ConfidenceInterval(
                    given.share(LEVEL).orElse(USUAL_LEVEL), given.word(CLUSTER))));
    KINDS.put("grouped", new Kind(List.of(METRIC, GROUP_KEY), Metrics::grouped));
  }

  private Metrics() {}

  /** All names, in the order to show them. */
  public static List<String> names() {
    return List.copyOf(KINDS.keySet());
  }

  /** What a task has that names no metrics: accuracy and its standard error. */
  public static List<Metric> usual() {
    return List.of(of("accuracy", Map.of()), of("stderr", Map.of()));
  }

  /**
   * The metric of that name.
   *
   * @param arguments values, or words for them
   * @throws ConfigurationException if there is no such metric or argument, or a value is not right
   */
  public static Metric of(String name, Map<String, Object> arguments) {
    Kind kind = KINDS.get(name);
    if (kind == null) {
      throw new ConfigurationException(
          "unknown metric '%s'%s".formatted(Printable.line(name), Spelling.hint(name, names())));
    }
    var given = new Arguments(name, arguments);
    given.requireKnown(kind.arguments());
    return kind.make().apply(given);
  }

  /**
   * The 95 % interval of the mean score, over clusters if the metrics name any. Empty where the
   * scores do not tell one.
   */
  public static Optional<Interval> interval(List<Metric> metrics, List<ScoredSample> samples) {
    if (samples.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> cluster = cluster(metrics);
    return cluster.isPresent()
        ? Intervals.ofMean(Scores.clustered(samples, cluster.get()), USUAL_LEVEL)
        : interval(Scores.summary(samples));
  }

  /** The same for scores that do not depend on each other. */
  public static Optional<Interval> interval(Summary scores) {
    return Intervals.ofMean(scores, USUAL_LEVEL);
  }

  /** The key of the metadata by which the metrics see clusters, if any does. */
  public static Optional<String> cluster(List<Metric> metrics) {
    return metrics.stream()
        .map(
            metric ->
                switch (metric) {
                  case StandardError(Optional<String> key) -> key;
                  case ConfidenceInterval(_, Optional<String> key) -> key;
                  default -> Optional.<String>empty();
                })
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * A metric as a task file has it: a name, or a name with arguments, such as {@code stderr:
   * {cluster: topic}}.
   *
   * @throws ConfigurationException as {@link #of} does
   */
  public static Metric parse(Object entry) {
    if (entry instanceof String name) {
      return of(name, Map.of());
    }
    if (entry instanceof Map<?, ?> map && map.size() == 1) {
      Map.Entry<?, ?> only = map.entrySet().iterator().next();
      String name = String.valueOf(only.getKey());
      return of(name, arguments(name, only.getValue()));
    }
    throw new ConfigurationException(
        "a metric must be a name, or one name with its arguments, was '%s'"
            .formatted(Printable.line(String.valueOf(entry))));
  }

  /** What {@link #parse} makes the metric of; absent if a program made it. */
  public static Optional<Object> written(Metric metric) {
    Optional<Object> entry =
        switch (metric) {
          case SummaryMetric(String name, _) -> Optional.of(name);
          case StandardError(Optional<String> key) -> Optional.of(entry("stderr", clustered(key)));
          case BootstrapError(int resamples, long seed) ->
              Optional.of(entry("bootstrap_stderr", Map.of(NUM_SAMPLES, resamples, SEED, seed)));
          case ConfidenceInterval(double level, Optional<String> key) -> {
            Map<String, Object> arguments = new LinkedHashMap<>(Map.of(LEVEL, level));
            arguments.putAll(clustered(key));
            yield Optional.of(entry("ci", arguments));
          }
          case Grouped(Metric inner, String key) ->
              written(inner).map(known -> entry("grouped", Map.of(METRIC, known, GROUP_KEY, key)));
          default -> Optional.empty();
        };
    return entry.filter(known -> parse(known).equals(metric));
  }

  private static Object entry(String name, Map<String, Object> arguments) {
    return arguments.isEmpty() ? name : Map.of(name, arguments);
  }

  private static Map<String, Object> clustered(Optional<String> key) {
    return key.<Map<String, Object>>map(known -> Map.of(CLUSTER, known)).orElse(Map.of());
  }

  /** The keys of the metadata that metrics look at; of those of a program nobody knows. */
  public static Set<String> keys(List<Metric> metrics) {
    Set<String> keys = new HashSet<>();
    for (Metric metric : metrics) {
      if (metric instanceof Grouped(Metric inner, String key)) {
        keys.add(key);
        keys.addAll(keys(List.of(inner)));
      } else {
        cluster(List.of(metric)).ifPresent(keys::add);
      }
    }
    return keys;
  }

  /**
   * What the numbers of a metric may be called in results, known before there are any.
   *
   * @param metadata of all samples
   * @return empty if a program made the metric
   */
  public static Optional<Set<String>> numbers(
      Metric metric, List<Map<String, @Nullable Object>> metadata) {
    return switch (metric) {
      case SummaryMetric _, StandardError _, BootstrapError _ -> Optional.of(Set.of(metric.name()));
      case ConfidenceInterval _ -> Optional.of(ConfidenceInterval.BOUNDS);
      case Grouped grouped ->
          numbers(grouped.metric(), metadata).map(of -> named(grouped, of, metadata));
      default -> Optional.empty();
    };
  }

  private static Set<String> named(
      Grouped grouped, Set<String> inner, List<Map<String, @Nullable Object>> metadata) {
    Set<String> labels = new HashSet<>();
    metadata.forEach(known -> labels.add(grouped.label(Scores.word(known, grouped.key()))));
    Set<String> names = new HashSet<>(inner);
    inner.forEach(name -> labels.forEach(label -> names.add(name + label)));
    return names;
  }

  /**
   * The metrics of a task, each as {@link #parse} reads it.
   *
   * @throws ConfigurationException also if two would have the same name in the results
   */
  public static List<Metric> parseAll(List<?> entries) {
    List<Metric> metrics = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Object entry : entries) {
      Metric metric = parse(entry);
      if (!names.add(metric.name())) {
        throw new ConfigurationException(
            "metric '%s' is there twice; name it once".formatted(metric.name()));
      }
      metrics.add(metric);
    }
    return List.copyOf(metrics);
  }

  /** What all metrics tell, in their order. */
  public static Map<String, Double> compute(List<Metric> metrics, List<ScoredSample> samples) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    metrics.forEach(metric -> numbers.putAll(computed(metric, samples)));
    return numbers;
  }

  /** A metric may be anybody's, and what is null could not be written to the log. */
  private static Map<String, Double> computed(Metric metric, List<ScoredSample> samples) {
    Map<String, Double> numbers = metric.compute(samples);
    if (numbers == null
        || numbers.entrySet().stream()
            .anyMatch(number -> number.getKey() == null || number.getValue() == null)) {
      throw new IllegalStateException(
          "the metric '%s' gave null; what samples do not tell must be absent"
              .formatted(metric.name()));
    }
    return numbers;
  }

  private static Kind plain(Metric metric) {
    return new Kind(List.of(), _ -> metric);
  }

  private static Metric bootstrap(Arguments given) {
    long resamples = given.whole(NUM_SAMPLES, 2, MOST_RESAMPLES, USUAL_RESAMPLES);
    long seed = given.whole(SEED, Long.MIN_VALUE, Long.MAX_VALUE, 0);
    return new BootstrapError((int) resamples, seed);
  }

  private static Metric grouped(Arguments given) {
    Metric metric = parse(given.required(METRIC, given.value(METRIC), "accuracy"));
    if (metric instanceof Grouped) {
      throw given.mustBe(METRIC, "a metric that is not grouped itself");
    }
    return new Grouped(metric, given.required(GROUP_KEY, given.word(GROUP_KEY), "subject"));
  }

  private static Map<String, Object> arguments(String name, Object given) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    switch (given) {
      case null -> {}
      case Map<?, ?> map -> map.forEach((key, value) -> arguments.put(String.valueOf(key), value));
      default ->
          throw new ConfigurationException(
              "metric '%s': its arguments must be names with values, was '%s'"
                  .formatted(Printable.line(name), Printable.line(given.toString())));
    }
    return arguments;
  }
}

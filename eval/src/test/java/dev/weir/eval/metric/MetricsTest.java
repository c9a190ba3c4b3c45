package dev.weir.eval.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.ConfigurationException;
import dev.weir.statistics.Bootstrap;
import dev.weir.statistics.ClusteredSummary;
import dev.weir.statistics.Interval;
import dev.weir.statistics.Intervals;
import dev.weir.statistics.Summary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricsTest {

  private static final List<ScoredSample> SAMPLES =
      List.of(
          sample("1", 1, Map.of("subject", "maths", "text", 1)),
          sample("2", 1, Map.of("subject", "maths", "text", 1)),
          sample("3", 0, Map.of("subject", "history", "text", 2)),
          sample("4", 0.5, Map.of("subject", "history", "text", 2)),
          sample("5", 0.25, Map.of()));

  private static final double[] VALUES = {1, 1, 0, 0.5, 0.25};

  @Test
  void tellsMeanAndSpread() {
    Summary summary = Summary.of(VALUES);
    assertThat(compute("accuracy")).containsExactly(entry("accuracy", 0.55));
    assertThat(compute("mean")).containsExactly(entry("mean", 0.55));
    assertThat(compute("var")).containsExactly(entry("var", summary.variance().getAsDouble()));
    assertThat(compute("std").get("std")).isCloseTo(0.4472136, within(1e-7));
    assertThat(compute("stderr").get("stderr")).isCloseTo(0.2, within(1e-12));
  }

  @Test
  void clustersOfSamplesRaiseTheError() {
    double clustered =
        ClusteredSummary.of(VALUES, List.of("a", "a", "b", "b", "alone"))
            .standardError()
            .getAsDouble();

    assertThat(clustered).isGreaterThan(0.2);
    assertThat(compute("stderr", Map.of("cluster", "text")))
        .containsExactly(entry("stderr", clustered));
  }

  /** What has no key depends on nothing: it is the plain error. */
  @Test
  void samplesWithoutTheKeyAreClustersOfTheirOwn() {
    assertThat(compute("stderr", Map.of("cluster", "nowhere")).get("stderr"))
        .isCloseTo(0.2, within(1e-12));
  }

  @Test
  void bootstrapFollowsItsArguments() {
    assertThat(compute("bootstrap_stderr"))
        .containsExactly(entry("bootstrap_stderr", bootstrap(1_000, 0)));
    assertThat(compute("bootstrap_stderr", Map.of("num_samples", 50, "seed", "7")))
        .containsExactly(entry("bootstrap_stderr", bootstrap(50, 7)));
    assertThat(bootstrap(1_000, 0)).isCloseTo(0.2 * Math.sqrt(4 / 5.0), within(0.02));
  }

  private static double bootstrap(int resamples, long seed) {
    return Bootstrap.ofMean(VALUES, resamples, 0.95, seed).orElseThrow().standardError();
  }

  @Test
  void theIntervalHasTwoEnds() {
    Interval interval = Intervals.ofMean(Summary.of(VALUES), 0.95).orElseThrow();
    assertThat(compute("ci"))
        .containsExactly(entry("ci_low", interval.low()), entry("ci_high", interval.high()));

    Interval narrow = Intervals.ofMean(Summary.of(VALUES), 0.5).orElseThrow();
    assertThat(compute("ci", Map.of("level", 0.5)))
        .containsExactly(entry("ci_low", narrow.low()), entry("ci_high", narrow.high()));

    Interval clustered =
        Intervals.ofMean(ClusteredSummary.of(VALUES, List.of("a", "a", "b", "b", "alone")), 0.95)
            .orElseThrow();
    assertThat(compute("ci", Map.of("cluster", "text")))
        .containsExactly(entry("ci_low", clustered.low()), entry("ci_high", clustered.high()));
  }

  @Test
  void allRightIsNotCertain() {
    List<ScoredSample> right = Collections.nCopies(20, sample("1", 1, Map.of()));
    Map<String, Double> bounds = Metrics.of("ci", Map.of()).compute(right);
    assertThat(bounds.get("ci_high")).isEqualTo(1);
    assertThat(bounds.get("ci_low")).isCloseTo(0.8389, within(5e-5));
  }

  @Test
  void groupsAreNamedByKeyAndValue() {
    assertThat(compute("grouped", Map.of("metric", "accuracy", "group_key", "subject")))
        .containsExactly(
            entry("accuracy", 0.55),
            entry("accuracy[subject=history]", 0.25),
            entry("accuracy[subject=maths]", 1.0),
            entry("accuracy[subject missing]", 0.25));
  }

  @Test
  void anyMetricIsGroupedWithItsArguments() {
    Object metric = Map.of("ci", Map.of("level", 0.9));
    Map<String, Double> numbers =
        compute("grouped", Map.of("metric", metric, "group_key", "subject"));

    Interval maths = Intervals.wilson(2, 2, 0.9);
    assertThat(numbers)
        .containsEntry("ci_low[subject=maths]", maths.low())
        .containsEntry("ci_high[subject=maths]", maths.high())
        .containsKeys("ci_low", "ci_high", "ci_low[subject=history]")
        // One score that is neither 0 nor 1 has no interval.
        .doesNotContainKey("ci_low[subject missing]");
  }

  @Test
  void groupNamesAreFitToBeShown() {
    List<ScoredSample> samples = List.of(sample("1", 1, Map.of("k", "a\u001b[2J\nb")));
    assertThat(Metrics.of("grouped", Map.of("metric", "mean", "group_key", "k")).compute(samples))
        .containsOnlyKeys("mean", "mean[k=a\uFFFD[2J b]");
  }

  @Test
  void aKeyThatTellsSamplesApartMakesNoGroups() {
    assertThat(byId(Grouped.MOST_GROUPS)).hasSize(Grouped.MOST_GROUPS + 1);
    assertThat(byId(Grouped.MOST_GROUPS + 1)).containsExactly(entry("mean", 0.5));
  }

  private static Map<String, Double> byId(int samples) {
    List<ScoredSample> all =
        IntStream.range(0, samples).mapToObj(i -> sample("", 0.5, Map.of("id", i))).toList();
    return Metrics.of("grouped", Map.of("metric", "mean", "group_key", "id")).compute(all);
  }

  @Test
  void aKeyWithoutAValueIsMissing() {
    Map<String, Object> metadata = new HashMap<>();
    metadata.put("subject", null);
    List<ScoredSample> samples = List.of(sample("1", 1, metadata));
    assertThat(
            Metrics.of("grouped", Map.of("metric", "mean", "group_key", "subject"))
                .compute(samples))
        .containsOnlyKeys("mean", "mean[subject missing]");
  }

  @Test
  void whatCannotBeToldIsAbsent() {
    List<ScoredSample> one = List.of(sample("1", 0.5, Map.of()));
    for (String name : Metrics.names()) {
      Map<String, Object> arguments =
          name.equals("grouped") ? Map.of("metric", "mean", "group_key", "k") : Map.of();
      assertThat(Metrics.of(name, arguments).compute(List.of())).as(name).isEmpty();
    }
    assertThat(Metrics.of("accuracy", Map.of()).compute(one)).containsEntry("accuracy", 0.5);
    for (String name : List.of("std", "var", "stderr", "bootstrap_stderr", "ci")) {
      assertThat(Metrics.of(name, Map.of()).compute(one)).as(name).isEmpty();
    }
    assertThat(Metrics.of("stderr", Map.of("cluster", "k")).compute(one)).isEmpty();
  }

  @Test
  void aScoreIsANumber() {
    assertThatThrownBy(() -> sample("7", Double.NaN, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("`value` of sample '7' must be finite, was NaN");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "acuracy||1|unknown metric 'acuracy'; did you mean 'accuracy'?",
        "recall||1|unknown metric 'recall'; known are: accuracy, bootstrap_stderr, ci, grouped,"
            + " mean, std, stderr, var",
        "stderr|clusters|a|metric 'stderr': unknown argument 'clusters'; did you mean 'cluster'?",
        "mean|cluster|a|metric 'mean': unknown argument 'cluster'; it has no arguments",
        "stderr|cluster|' '|metric 'stderr': `cluster` must be a word, was ' '",
        "ci|level|95|metric 'ci': `level` must be a number between 0 and 1, such as 0.95, was '95'",
        "ci|level|high|metric 'ci': `level` must be a number between 0 and 1, such as 0.95, was"
            + " 'high'",
        "bootstrap_stderr|num_samples|1|metric 'bootstrap_stderr': `num_samples` must be a whole"
            + " number from 2 to 100000, was '1'",
        "bootstrap_stderr|seed|x|metric 'bootstrap_stderr': `seed` must be a whole number of at"
            + " most 64 bits, was 'x'",
        "grouped|group_key|a|metric 'grouped': `metric` is missing, such as metric: accuracy",
        "grouped|metric|mean|metric 'grouped': `group_key` is missing, such as group_key: subject",
        "grouped|metric|men|unknown metric 'men'; did you mean 'mean'?"
      })
  void whatIsWrongIsExplained(String name, String argument, String value, String message) {
    Map<String, Object> arguments = argument == null ? Map.of() : Map.of(argument, value);
    assertThatThrownBy(() -> Metrics.of(name, arguments))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(message);
  }

  @Test
  void groupsAreNotGroupedAgain() {
    Object inner = Map.of("grouped", Map.of("metric", "mean", "group_key", "a"));
    assertThatThrownBy(() -> Metrics.of("grouped", Map.of("metric", inner, "group_key", "b")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "metric 'grouped': `metric` must be a metric that is not grouped itself, was");
  }

  @Test
  void readsTheListOfATaskFile() {
    Map<String, Object> bare = new HashMap<>();
    bare.put("mean", null);
    List<Metric> metrics =
        Metrics.parseAll(
            List.of(
                "accuracy",
                bare,
                Map.of("stderr", Map.of("cluster", "text")),
                Map.of("grouped", Map.of("metric", "accuracy", "group_key", "subject"))));

    assertThat(metrics)
        .extracting(Metric::name)
        .containsExactly("accuracy", "mean", "stderr", "accuracy[subject]");
    assertThat(Metrics.compute(metrics, SAMPLES).keySet())
        .containsExactly(
            "accuracy",
            "mean",
            "stderr",
            "accuracy[subject=history]",
            "accuracy[subject=maths]",
            "accuracy[subject missing]");
  }

  @Test
  void refusesEntriesThatAreNoMetric() {
    assertThatThrownBy(() -> Metrics.parse(3))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("a metric must be a name, or one name with its arguments, was '3'");
    assertThatThrownBy(() -> Metrics.parse(Map.of("mean", Map.of(), "std", Map.of())))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> Metrics.parse(Map.of("stderr", "text")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("metric 'stderr': its arguments must be names with values, was 'text'");
    assertThatThrownBy(
            () -> Metrics.parseAll(List.of("stderr", Map.of("stderr", Map.of("cluster", "a")))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("metric 'stderr' is there twice; name it once");
  }

  @Test
  void usuallyAccuracyAndItsError() {
    assertThat(Metrics.compute(Metrics.usual(), SAMPLES))
        .containsExactly(entry("accuracy", 0.55), entry("stderr", compute("stderr").get("stderr")));
  }

  /** A second or so; what grows with the square of the samples would take hours. */
  @Test
  void aMillionSamplesAreNoTrouble() {
    var random = new SplittableRandom(1);
    List<ScoredSample> samples = new ArrayList<>();
    for (int i = 0; i < 1_000_000; i++) {
      samples.add(
          sample("s" + i, random.nextInt(2), Map.of("text", i / 3, "subject", "s" + i % 50)));
    }
    Map<String, Double> numbers =
        Metrics.compute(
            Metrics.parseAll(
                List.of(
                    "accuracy",
                    "std",
                    Map.of("stderr", Map.of("cluster", "text")),
                    Map.of("ci", Map.of("cluster", "text")),
                    Map.of("bootstrap_stderr", Map.of("num_samples", 10)),
                    Map.of("grouped", Map.of("metric", "accuracy", "group_key", "subject")))),
            samples);

    assertThat(numbers.get("accuracy")).isCloseTo(0.5, within(0.003));
    assertThat(numbers.get("stderr")).isCloseTo(0.0005, within(0.00001));
    assertThat(
            numbers.getOrDefault("ci_high", Double.NaN)
                - numbers.getOrDefault("ci_low", Double.NaN))
        .isCloseTo(2 * 1.96 * 0.0005, within(0.00004));
    assertThat(numbers).hasSize(6 + 50);
  }

  private static Map<String, Double> compute(String name) {
    return compute(name, Map.of());
  }

  private static Map<String, Double> compute(String name, Map<String, Object> arguments) {
    return Metrics.of(name, arguments).compute(SAMPLES);
  }

  private static ScoredSample sample(String id, double value, Map<String, Object> metadata) {
    return new ScoredSample(id, value, metadata);
  }

  /** A metric may be anybody's: better no metrics than a log that cannot be written. */
  @Test
  @SuppressWarnings("NullAway")
  void aMetricThatGivesNullIsNamed() {
    Map<String, Double> numbers = new HashMap<>();
    numbers.put("x", null);
    Map<String, Double> nameless = new HashMap<>();
    nameless.put(null, 1.0);
    for (Map<String, Double> given : Arrays.asList(null, numbers, nameless)) {
      Metric metric =
          new Metric() {
            @Override
            public String name() {
              return "own";
            }

            @Override
            public Map<String, Double> compute(List<ScoredSample> samples) {
              return given;
            }
          };
      assertThatThrownBy(() -> Metrics.compute(List.of(metric), List.of()))
          .hasMessageStartingWith("the metric 'own' gave null");
    }
  }
}

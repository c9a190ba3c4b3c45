package dev.weir.cli;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The least that metrics must reach: {@code accuracy=0.8} for the first scorer, {@code
 * match/accuracy=0.8} for one by name, {@code accuracy_over_all=0.8} with samples that failed
 * counted as 0. A run that was not finished, or failed, reaches none. Immutable.
 */
final class Thresholds {

  private static final String OVER_ALL = "accuracy_over_all";

  private final Map<String, Double> least;

  private Thresholds(Map<String, Double> least) {
    this.least = new TreeMap<>(least);
  }

  /** Those that a run was given. */
  static Thresholds of(RunResult result) {
    String word = result.start().config().get("threshold");
    return new Thresholds(
        word == null
            ? Map.of()
            : RunOptions.parse(Settings.NONE.with("threshold", word)).budget().thresholds());
  }

  /**
   * One threshold, after the run.
   *
   * @param value absent if it is not known
   * @param missed why it was not reached; empty if it was
   */
  record Verdict(String metric, double least, Optional<Double> value, String missed) {

    boolean isReached() {
      return missed.isEmpty();
    }
  }

  boolean isEmpty() {
    return least.isEmpty();
  }

  List<Verdict> judge(RunResult result) {
    Map<String, Double> values = values(result);
    List<Verdict> verdicts = new ArrayList<>();
    least.forEach(
        (metric, bound) ->
            verdicts.add(
                new Verdict(
                    metric,
                    bound,
                    Optional.ofNullable(values.get(metric)),
                    missed(values, result, metric, bound))));
    return verdicts;
  }

  /** For scripts: each with what it requires, what there is, and whether that is enough. */
  String json(RunResult result) {
    List<Map<String, @Nullable Object>> documents = new ArrayList<>();
    for (Verdict verdict : judge(result)) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put("metric", verdict.metric());
      document.put("required", verdict.least());
      document.put("value", verdict.value().filter(Double::isFinite).orElse(null));
      document.put("passed", verdict.isReached());
      documents.add(document);
    }
    return new JsonMapper().writeValueAsString(documents);
  }

  private static String missed(
      Map<String, Double> values, RunResult result, String metric, double bound) {
    Double value = values.get(metric);
    if (value != null) {
      String is = "%s is %s, ".formatted(Printable.line(metric), Numbers.score(value));
      // Not a number is never enough.
      return value >= bound ? unfinished(result, is) : is + "below " + bound;
    }
    return result.samples().scored() == 0
        ? "%s is not known, since no sample was scored".formatted(Printable.line(metric))
        : unknown(metric, values.keySet());
  }

  /** A number over some of the samples says nothing of the others. */
  private static String unfinished(RunResult result, String is) {
    return switch (result.status()) {
      case SUCCESS -> "";
      case CANCELLED ->
          is
              + "but %s of %s samples were not finished"
                  .formatted(result.samples().unfinished(), result.samples().total());
      case ERROR -> is + "but the run failed";
    };
  }

  private static Map<String, Double> values(RunResult result) {
    Map<String, Double> values = new TreeMap<>(result.metrics());
    result.accuracyOverAll().ifPresent(value -> values.putIfAbsent(OVER_ALL, value));
    // Of several reducers the first, as for the first scorer.
    for (ScorerMetrics scores : result.scores()) {
      scores
          .metrics()
          .forEach((metric, value) -> values.putIfAbsent(scores.scorer() + "/" + metric, value));
    }
    return values;
  }

  private static String unknown(String metric, Set<String> known) {
    return "there is no metric '%s'%s"
        .formatted(Printable.line(metric), Spelling.withAll("There are", metric, known));
  }

  /**
   * Tells of a metric that cannot be there before anything is paid for.
   *
   * @throws ConfigurationException if there is one
   */
  static void check(TaskDefinition task, Settings given) {
    Settings settings = given.orElse(task.settings());
    Set<String> wanted = RunOptions.parse(settings).budget().thresholds().keySet();
    if (wanted.isEmpty()) {
      return;
    }
    Set<String> known = new TreeSet<>(Set.of(OVER_ALL));
    // What the metrics of a program tell is called as it likes: behind these anything may come.
    Set<String> open = new TreeSet<>();
    List<Map<String, @Nullable Object>> metadata =
        task.dataset().samples().stream().map(Sample::metadata).toList();
    for (NamedScorer scorer : task.scorers()) {
      boolean isFirst = scorer.equals(task.scorers().getFirst());
      for (Metric metric : scorer.metrics()) {
        for (String before :
            isFirst ? List.of("", scorer.name() + "/") : List.of(scorer.name() + "/")) {
          Metrics.numbers(metric, metadata)
              .ifPresentOrElse(
                  names -> names.forEach(name -> known.add(before + name)), () -> open.add(before));
        }
      }
    }
    for (String metric : wanted) {
      if (!known.contains(metric) && open.stream().noneMatch(metric::startsWith)) {
        String origin =
            settings
                .setting(Options.named("threshold"))
                .map(Settings.Setting::origin)
                .orElse("threshold");
        throw new ConfigurationException("%s: %s".formatted(origin, unknown(metric, known)));
      }
    }
  }
}

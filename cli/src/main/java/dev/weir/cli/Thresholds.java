package dev.weir.cli;

import dev.weir.eval.ThresholdMetrics;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.log.RunResult;
import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The least that metrics must reach, by the names of {@link ThresholdMetrics}. A run that was not
 * finished, or failed, reaches none. Immutable.
 */
final class Thresholds {

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
    Map<String, Double> values = ThresholdMetrics.values(result);
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
    return ThresholdMetrics.missing(metric, result);
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
}

package dev.weir.eval.metric;

import dev.weir.statistics.Interval;
import dev.weir.statistics.Intervals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The range of the true mean: {@code ci_low} and {@code ci_high}.
 *
 * @param level how often it holds the true mean
 * @param cluster a key of the metadata whose equal values mark samples that depend on each other
 */
record ConfidenceInterval(double level, Optional<String> cluster) implements Metric {

  @Override
  public String name() {
    return "ci";
  }

  @Override
  public Map<String, Double> compute(List<ScoredSample> samples) {
    Map<String, Double> bounds = new LinkedHashMap<>();
    interval(samples)
        .ifPresent(
            interval -> {
              bounds.put("ci_low", interval.low());
              bounds.put("ci_high", interval.high());
            });
    return bounds;
  }

  private Optional<Interval> interval(List<ScoredSample> samples) {
    return cluster.isPresent()
        ? Intervals.ofMean(Scores.clustered(samples, cluster.get()), level)
        : Intervals.ofMean(Scores.summary(samples), level);
  }
}

package dev.weir.eval.metric;

import dev.weir.statistics.Interval;
import dev.weir.statistics.Intervals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The range of the true mean: {@code ci_low} and {@code ci_high}.
 *
 * @param level how often it holds the true mean
 * @param cluster a key of the metadata whose equal values mark samples that depend on each other
 */
record ConfidenceInterval(double level, Optional<String> cluster) implements Metric {

  private static final String LOW = "ci_low";
  private static final String HIGH = "ci_high";

  /** What its numbers are called. */
  static final Set<String> BOUNDS = Set.of(LOW, HIGH);

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
              bounds.put(LOW, interval.low());
              bounds.put(HIGH, interval.high());
            });
    return bounds;
  }

  private Optional<Interval> interval(List<ScoredSample> samples) {
    return cluster.isPresent()
        ? Intervals.ofMean(Scores.clustered(samples, cluster.get()), level)
        : Intervals.ofMean(Scores.summary(samples), level);
  }
}

package dev.weir.eval.metric;

import dev.weir.statistics.Summary;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;

/** One number that can be told without keeping the scores. */
record SummaryMetric(String name, Function<Summary, OptionalDouble> number) implements Metric {

  @Override
  public Map<String, Double> compute(List<ScoredSample> samples) {
    return Scores.named(name, number.apply(Scores.summary(samples)));
  }
}

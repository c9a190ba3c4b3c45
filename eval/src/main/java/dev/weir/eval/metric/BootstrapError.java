package dev.weir.eval.metric;

import dev.weir.statistics.Bootstrap;
import java.util.List;
import java.util.Map;

/** The standard error of the mean, from drawing the samples again. */
record BootstrapError(int resamples, long seed) implements Metric {

  /** Its interval is not used. */
  private static final double ANY_CONFIDENCE = 0.95;

  @Override
  public String name() {
    return "bootstrap_stderr";
  }

  @Override
  public Map<String, Double> compute(List<ScoredSample> samples) {
    return Bootstrap.ofMean(Scores.values(samples), resamples, ANY_CONFIDENCE, seed)
        .map(bootstrap -> Map.of(name(), bootstrap.standardError()))
        .orElse(Map.of());
  }
}

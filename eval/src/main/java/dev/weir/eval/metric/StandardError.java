package dev.weir.eval.metric;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How far the mean would vary with other samples of the same kind.
 *
 * @param cluster a key of the metadata whose equal values mark samples that depend on each other
 */
record StandardError(Optional<String> cluster) implements Metric {

  @Override
  public String name() {
    return "stderr";
  }

  @Override
  public Map<String, Double> compute(List<ScoredSample> samples) {
    return Scores.named(
        name(),
        cluster
            .map(key -> Scores.clustered(samples, key).standardError())
            .orElseGet(() -> Scores.summary(samples).standardError()));
  }
}

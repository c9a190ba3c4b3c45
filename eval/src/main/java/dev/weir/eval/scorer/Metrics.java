package dev.weir.eval.scorer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the scores of a run amount to. */
public final class Metrics {

  private Metrics() {}

  /**
   * {@code accuracy}, the mean score; and {@code stderr}, its standard error, estimated with n - 1.
   *
   * <p>A metric that cannot be told is absent rather than zero: no scores, no accuracy; a single
   * score says nothing of how it would vary.
   */
  public static Map<String, Double> of(List<Double> scores) {
    Map<String, Double> metrics = new LinkedHashMap<>();
    int n = scores.size();
    if (n > 0) {
      double mean = scores.stream().mapToDouble(Double::doubleValue).sum() / n;
      metrics.put("accuracy", mean);
      if (n > 1) {
        double squares = scores.stream().mapToDouble(s -> (s - mean) * (s - mean)).sum();
        metrics.put("stderr", Math.sqrt(squares / (n - 1) / n));
      }
    }
    return metrics;
  }
}

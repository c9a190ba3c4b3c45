package dev.weir.eval.metric;

import java.util.Map;

/**
 * A sample that has a score. One that failed has none and is not among them.
 *
 * @param id unique in its dataset
 * @param value the score, over its epochs; finite
 * @param metadata of the sample; not changed any more
 */
public record ScoredSample(String id, double value, Map<String, Object> metadata) {

  public ScoredSample {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException(
          "`value` of sample '%s' must be finite, was %s".formatted(id, value));
    }
  }
}

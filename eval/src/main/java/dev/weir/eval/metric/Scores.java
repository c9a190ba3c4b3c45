package dev.weir.eval.metric;

import dev.weir.model.Printable;
import dev.weir.statistics.ClusteredSummary;
import dev.weir.statistics.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What metrics do with samples. */
final class Scores {

  private Scores() {}

  static double[] values(List<ScoredSample> samples) {
    return samples.stream().mapToDouble(ScoredSample::value).toArray();
  }

  static Summary summary(List<ScoredSample> samples) {
    var summary = new Summary();
    samples.forEach(sample -> summary.add(sample.value()));
    return summary;
  }

  /** A sample without the key depends on no other: it is a cluster of its own. */
  static ClusteredSummary clustered(List<ScoredSample> samples, String key) {
    List<Object> clusters = new ArrayList<>(samples.size());
    for (ScoredSample sample : samples) {
      Optional<String> word = word(sample, key);
      clusters.add(word.isPresent() ? word.get() : new Object());
    }
    return ClusteredSummary.of(values(samples), clusters);
  }

  /** A value of the metadata as a word, fit to be shown; empty when it is missing. */
  static Optional<String> word(ScoredSample sample, String key) {
    return word(sample.metadata(), key);
  }

  static Optional<String> word(Map<String, ? extends @Nullable Object> metadata, String key) {
    return Optional.<Object>ofNullable(metadata.get(key)).map(String::valueOf).map(Printable::line);
  }

  static Map<String, Double> named(String name, OptionalDouble number) {
    return number.isPresent() ? Map.of(name, number.getAsDouble()) : Map.of();
  }
}

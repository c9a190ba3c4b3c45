package dev.weir.eval.metric;

import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A metric over all samples and over each group of them, such as {@code accuracy}, {@code
 * accuracy[subject=history]} and {@code accuracy[subject=maths]}. Samples without the key are a
 * group of their own, {@code accuracy[subject missing]}.
 *
 * <p>A key with more values than {@link #MOST_GROUPS} sorts nothing into groups, it tells samples
 * apart; then there is only the number over all.
 *
 * @param key of the metadata
 */
record Grouped(Metric metric, String key) implements Metric {

  static final int MOST_GROUPS = 1_000;

  @Override
  public String name() {
    return "%s[%s]".formatted(metric.name(), Printable.line(key));
  }

  @Override
  public Map<String, Double> compute(List<ScoredSample> samples) {
    Map<String, Double> numbers = new LinkedHashMap<>(metric.compute(samples));
    groups(samples)
        .forEach(
            (group, members) ->
                metric
                    .compute(members)
                    .forEach((name, number) -> numbers.put(name + group, number)));
    return numbers;
  }

  /** Sorted, the samples without the key last; none when there are too many. */
  private Map<String, List<ScoredSample>> groups(List<ScoredSample> samples) {
    Map<String, List<ScoredSample>> groups = new TreeMap<>();
    List<ScoredSample> missing = new ArrayList<>();
    for (ScoredSample sample : samples) {
      Optional<String> word = Scores.word(sample, key);
      if (word.isEmpty()) {
        missing.add(sample);
      } else {
        groups.computeIfAbsent(word.get(), _ -> new ArrayList<>()).add(sample);
      }
      if (groups.size() > MOST_GROUPS) {
        return Map.of();
      }
    }
    Map<String, List<ScoredSample>> labelled = new LinkedHashMap<>();
    groups.forEach((word, members) -> labelled.put(label(Optional.of(word)), members));
    if (!missing.isEmpty()) {
      labelled.put(label(Optional.empty()), missing);
    }
    return labelled;
  }

  /**
   * What the name of a group's number ends with.
   *
   * @param word the value of the key; empty for samples without it
   */
  String label(Optional<String> word) {
    String shown = Printable.line(key);
    return word.map(known -> "[%s=%s]".formatted(shown, known))
        .orElseGet(() -> "[%s missing]".formatted(shown));
  }
}

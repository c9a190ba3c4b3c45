package dev.weir.eval;

import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.Reducer;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.log.Reduced;
import dev.weir.log.RunResult.Range;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.SampleResult;
import dev.weir.statistics.Summary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** The scores of many samples, by scorer, and what they amount to. Not thread-safe. */
final class ScoreBook {

  private final int epochs;
  private final boolean keepsMetadata;
  private final Map<String, Map<String, List<Double>>> scores = new LinkedHashMap<>();
  // Those of them that samples were given which failed all the same.
  private final Map<String, Map<String, List<Double>>> ofFailed = new HashMap<>();
  private final Map<String, Map<String, Object>> metadata = new HashMap<>();
  // How many epochs of each sample ended, with or without a score.
  private final Map<String, Integer> ended = new LinkedHashMap<>();

  /**
   * @param keepsMetadata whether a metric looks at it; it may be large
   */
  ScoreBook(int epochs, boolean keepsMetadata) {
    this.epochs = epochs;
    this.keepsMetadata = keepsMetadata;
  }

  void add(SampleResult sample) {
    boolean failed = sample.error().isPresent();
    sample.scores().forEach((scorer, score) -> score(scorer, sample.id(), score.value(), failed));
    if (!sample.cancelled()) {
      ended(sample.id());
    }
    if (keepsMetadata) {
      metadata(sample.id(), sample.metadata());
    }
  }

  /** What is known of a sample beside its scores. */
  void metadata(String id, Map<String, Object> known) {
    metadata.put(id, known);
  }

  /**
   * One epoch of a sample has a score.
   *
   * @param failed whether it failed all the same
   */
  void score(String scorer, String id, double value, boolean failed) {
    add(scores, scorer, id, value);
    if (failed) {
      add(ofFailed, scorer, id, value);
    }
  }

  private void add(
      Map<String, Map<String, List<Double>>> to, String scorer, String id, double value) {
    to.computeIfAbsent(scorer, _ -> new LinkedHashMap<>())
        .computeIfAbsent(id, _ -> new ArrayList<>(epochs))
        .add(value);
  }

  /** One epoch of a sample has ended, with or without a score. */
  void ended(String id) {
    ended.merge(id, 1, Integer::sum);
  }

  /** With each reducer. */
  List<ScorerMetrics> metrics(String scorer, List<Metric> metrics, List<Reducer> reducers) {
    return reducers.stream()
        .map(
            reducer -> {
              List<ScoredSample> reduced = reduced(scorer, reducer);
              return new ScorerMetrics(
                  scorer,
                  reducer.word(),
                  Metrics.compute(metrics, reduced),
                  Metrics.interval(metrics, reduced)
                      .map(
                          interval ->
                              new Range(
                                  interval.low(),
                                  interval.high(),
                                  Optional.of(interval.method().words()))),
                  Optional.of(reduced.size()));
            })
        .toList();
  }

  /** What a reducer made of the epochs of each sample. */
  Reduced reductions(String scorer, Reducer reducer) {
    return new Reduced(
        scorer,
        reducer.word(),
        reduced(scorer, reducer).stream()
            .map(sample -> new Reduced.Value(sample.id(), sample.value()))
            .toList());
  }

  private List<ScoredSample> reduced(String scorer, Reducer reducer) {
    List<ScoredSample> samples = new ArrayList<>();
    scores
        .getOrDefault(scorer, Map.of())
        .forEach(
            (id, values) -> {
              double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
              OptionalDouble value = reducer.reduce(all, Math.max(epochs, all.length));
              if (value.isPresent()) {
                samples.add(new ScoredSample(id, value.getAsDouble(), told(id)));
              }
            });
    return samples;
  }

  private Map<String, Object> told(String id) {
    Map<String, Object> told = new LinkedHashMap<>();
    metadata
        .getOrDefault(id, Map.of())
        .forEach(
            (key, value) -> {
              if (value != null) {
                told.put(key, value);
              }
            });
    return told;
  }

  /** The mean over all samples by a reducer, epochs that failed counted as 0, scored or not. */
  Optional<Double> meanOverAll(String scorer, Reducer reducer) {
    Map<String, List<Double>> ofScorer = scores.getOrDefault(scorer, Map.of());
    Map<String, List<Double>> toLeaveOut = ofFailed.getOrDefault(scorer, Map.of());
    var all = new Summary();
    ended.forEach(
        (id, count) -> {
          List<Double> sound = new ArrayList<>(ofScorer.getOrDefault(id, List.of()));
          toLeaveOut.getOrDefault(id, List.of()).forEach(sound::remove);
          double[] values = sound.stream().mapToDouble(Double::doubleValue).toArray();
          int failed = Math.max(0, count - values.length);
          reducer
              .reduceWithFailures(values, failed, Math.max(epochs, values.length + failed))
              .ifPresent(all::add);
        });
    return all.mean().isPresent() ? Optional.of(all.mean().getAsDouble()) : Optional.empty();
  }
}

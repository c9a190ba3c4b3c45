package dev.weir.junit;

import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an evaluation came to.
 *
 * @param log where each sample is told of, unless it could not be written
 */
public record EvaluationResult(RunResult run, Optional<Path> log) {

  /**
   * The value of a metric of the first scorer, or of another: {@code exact.accuracy}.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public double metric(String name) {
    Map<String, Double> metrics = metrics();
    Double value = metrics.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "there is no metric '%s'%s".formatted(name, Spelling.hint(name, metrics.keySet())));
    }
    return value;
  }

  /**
   * All of them: those of the first scorer by name, and those of each as {@code exact.accuracy}.
   */
  public Map<String, Double> metrics() {
    Map<String, Double> metrics = new LinkedHashMap<>(run.metrics());
    for (RunResult.ScorerMetrics scorer : run.scores()) {
      scorer
          .metrics()
          .forEach((name, value) -> metrics.putIfAbsent(scorer.scorer() + "." + name, value));
    }
    return metrics;
  }

  /** The samples that have ended, in the order in which they did, read from the log. */
  public List<SampleResult> samples() {
    if (log.isEmpty()) {
      return List.of();
    }
    List<SampleResult> samples = new ArrayList<>();
    try (var reader = RunLogReader.open(log.get())) {
      for (var sample = reader.sample(); sample.isPresent(); sample = reader.sample()) {
        samples.add(sample.get());
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return samples;
  }
}

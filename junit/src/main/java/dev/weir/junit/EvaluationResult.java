package dev.weir.junit;

import dev.weir.eval.ThresholdMetrics;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
   * The value of a metric of the first scorer, {@code accuracy}, of another, {@code
   * exact/accuracy}, or {@code accuracy_over_all}: as in thresholds.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public double metric(String name) {
    Double value = metrics().get(name);
    if (value == null) {
      throw new IllegalArgumentException(ThresholdMetrics.missing(name, run));
    }
    return value;
  }

  /** All of them, by the names that thresholds have for them. */
  public Map<String, Double> metrics() {
    return ThresholdMetrics.values(run);
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

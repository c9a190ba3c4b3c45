package dev.weir.eval.run;

import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.statistics.Summary;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * The mean score of a run that goes on, with the interval that the result would have if it ended
 * now. Not thread-safe.
 *
 * <p>Scores that do not depend on each other are summed up as they come. Epochs and clusters must
 * be looked at together; as that takes longer the more there are, it is done again only when there
 * are a hundredth more.
 */
final class ScoreSoFar {

  private static final double GROWTH = 1.01;

  private final boolean isPlain;
  private final List<Metric> metrics;
  private final Summary scores = new Summary();
  private Optional<RunProgress.Score> told = Optional.empty();
  private long toldOf;

  ScoreSoFar(int epochs, List<Metric> metrics) {
    this.isPlain = epochs == 1 && Metrics.cluster(metrics).isEmpty();
    this.metrics = metrics;
  }

  void add(double score) {
    scores.add(score);
  }

  /**
   * @param samples that have a score, their epochs reduced
   */
  Optional<RunProgress.Score> score(Supplier<List<ScoredSample>> samples) {
    long count = scores.count();
    if (count > 0 && isPlain) {
      return Optional.of(
          new RunProgress.Score(scores.mean().getAsDouble(), Metrics.interval(scores)));
    }
    if (count > toldOf * GROWTH) {
      told = reduced(samples.get());
      toldOf = count;
    }
    return told;
  }

  private Optional<RunProgress.Score> reduced(List<ScoredSample> samples) {
    var values = new Summary();
    samples.forEach(sample -> values.add(sample.value()));
    OptionalDouble mean = values.mean();
    return mean.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new RunProgress.Score(mean.getAsDouble(), Metrics.interval(metrics, samples)));
  }
}

package dev.weir.log;

import dev.weir.log.RunResult.ScorerMetrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What can be told of scores where nobody knows more. Not thread-safe. */
final class MeanScores implements KilledRunScores.Tally {

  private final int epochs;
  private final Map<String, Mean> scores = new LinkedHashMap<>();

  MeanScores(RunStart start) {
    this.epochs = start.epochs();
    start.scorers().forEach(scorer -> scores.put(scorer, new Mean()));
  }

  private static final class Mean {
    private double sum;
    private long count;
  }

  @Override
  public void add(SampleSummary sample, Map<String, Object> metadata) {
    sample
        .scores()
        .forEach(
            (scorer, score) -> {
              Mean mean = scores.computeIfAbsent(scorer, _ -> new Mean());
              mean.sum += score;
              mean.count++;
            });
  }

  @Override
  public List<ScorerMetrics> metrics() {
    List<ScorerMetrics> metrics = new ArrayList<>();
    scores.forEach(
        (scorer, mean) ->
            metrics.add(
                new ScorerMetrics(
                    scorer,
                    "mean",
                    mean.count == 0 ? Map.of() : Map.of("accuracy", mean.sum / mean.count),
                    Optional.empty(),
                    // Of repeated samples, those that have any are not told apart here.
                    epochs == 1 ? Optional.of((int) mean.count) : Optional.empty())));
    return metrics;
  }

  @Override
  public Optional<Double> accuracyOverAll() {
    return Optional.empty();
  }

  @Override
  public List<Reduced> reductions() {
    return List.of();
  }
}

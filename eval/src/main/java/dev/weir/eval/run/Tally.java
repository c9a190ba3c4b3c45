package dev.weir.eval.run;

import dev.weir.eval.scorer.Metrics;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.SampleResult;
import dev.weir.log.Times;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What became of the samples of a run so far. Not thread-safe: guarded by the run. */
final class Tally {

  private final RunPlan plan;
  private final long total;
  private int scored;
  private int failed;
  private double scoreSum;
  private double scoreSquares;
  private Tokens tokens = Tokens.NONE;
  private Spend spend = Spend.NONE;
  private Times times = Times.NONE;
  private long cachedAnswers;
  private long retries;
  // The scores of each scorer, in the order in which samples ended.
  private final Map<String, List<Double>> scores = new LinkedHashMap<>();

  Tally(RunPlan plan) {
    this.plan = plan;
    this.total = Run.total(plan);
    plan.task().scorers().forEach(scorer -> scores.put(scorer.name(), new ArrayList<>()));
  }

  void add(int index, SampleResult result, Spend cost) {
    tokens = tokens.plus(result.tokens());
    spend = spend.plus(cost);
    times = times.plus(result.times());
    cachedAnswers += result.cachedAnswers();
    retries += result.retries();
    result
        .scores()
        .forEach((name, score) -> scores.getOrDefault(name, new ArrayList<>()).add(score.value()));
    if (result.error().isPresent()) {
      failed++;
    } else if (!result.cancelled()) {
      scored++;
      double score = result.score().orElse(0.0);
      scoreSum += score;
      scoreSquares += score * score;
    }
  }

  /** Whether more have failed than may. */
  boolean hasTooManyErrors() {
    double most = plan.options().errors().failOnError().orElse(0.0);
    return failed > (most > 0 && most < 1 ? most * total : most);
  }

  /** Of the first scorer. */
  Map<String, Double> metrics() {
    return scores.values().stream().findFirst().map(Metrics::of).orElse(Map.of());
  }

  List<ScorerMetrics> scorerMetrics() {
    List<ScorerMetrics> all = new ArrayList<>();
    scores.forEach((name, values) -> all.add(new ScorerMetrics(name, "mean", Metrics.of(values))));
    return all;
  }

  /** The mean of the first scorer, those that failed counted as 0. */
  Optional<Double> accuracyOverAll(int all) {
    return scored + failed == 0 ? Optional.empty() : Optional.of(scoreSum / (scored + failed));
  }

  int scored() {
    return scored;
  }

  int failed() {
    return failed;
  }

  double scoreSum() {
    return scoreSum;
  }

  double scoreSquares() {
    return scoreSquares;
  }

  Tokens tokens() {
    return tokens;
  }

  Spend spend() {
    return spend;
  }

  Times times() {
    return times;
  }

  long cachedAnswers() {
    return cachedAnswers;
  }

  long retries() {
    return retries;
  }
}

package dev.weir.eval;

import dev.weir.eval.Rescoring.Action;
import dev.weir.eval.Rescoring.Finished;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.Reducer;
import dev.weir.eval.run.Rescorer;
import dev.weir.eval.run.Rescorer.Outcome;
import dev.weir.eval.run.Rescorer.Rescored;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.Cost;
import dev.weir.log.Reduced;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.RunResult.Status;
import dev.weir.log.RunStart;
import dev.weir.log.SampleResult;
import dev.weir.log.Times;
import dev.weir.log.Tokens;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Response;
import dev.weir.statistics.VarianceComponents;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What became of the samples that were scored again. Not thread-safe. */
final class RescoringTally {

  private final Time time;
  private final Action action;
  private final RunStart start;
  private final List<NamedScorer> scorers;
  private final List<Reducer> asked;
  private final double failOnError;
  private final long begun;
  private final ScoreBook book;
  // By scorer, what each answer was given in each repetition.
  private final Map<String, List<double[]>> repeats = new HashMap<>();
  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
  private int cancelledBefore;
  private int withoutScore;
  // Of those whose new score failed, those with others.
  private int keptScores;
  private Response.@Nullable Failure refusal;
  private Tokens tokens = Tokens.NONE;
  private Cost cost = Cost.NONE;
  private Times times = Times.NONE;
  private long cachedAnswers;
  private long retries;

  RescoringTally(
      Time time,
      Action action,
      RunStart start,
      List<NamedScorer> scorers,
      List<Reducer> asked,
      double failOnError) {
    this.time = time;
    this.action = action;
    this.start = start;
    this.scorers = scorers;
    this.asked = asked;
    this.failOnError = failOnError;
    this.begun = time.nanos();
    boolean areUsual =
        scorers.stream().allMatch(scorer -> scorer.metrics().equals(Metrics.usual()));
    this.book = new ScoreBook(start.epochs(), !areUsual);
  }

  void add(Rescored rescored) {
    SampleResult sample = rescored.sample();
    outcomes.merge(rescored.outcome(), 1, Integer::sum);
    cancelledBefore += sample.cancelled() ? 1 : 0;
    refusal = rescored.refusal().orElse(refusal);
    boolean hasNone = sample.scores().isEmpty();
    keptScores += rescored.outcome() == Outcome.FAILED && !hasNone ? 1 : 0;
    if (rescored.outcome() == Outcome.NOT_REACHED && hasNone) {
      withoutScore++;
    } else {
      book.add(sample);
    }
    if (rescored.outcome() == Outcome.SCORED) {
      scorers.forEach(scorer -> addRepeats(scorer.name(), sample));
    }
    tokens = tokens.plus(sample.tokens());
    cost = cost.plus(sample.cost());
    times = times.plus(sample.times());
    cachedAnswers += sample.cachedAnswers();
    retries += sample.retries();
  }

  private void addRepeats(String scorer, SampleResult sample) {
    SampleResult.ScoreResult score = sample.scores().get(scorer);
    if (score != null && score.metadata().get(Rescorer.REPEATS) instanceof List<?> values) {
      repeats
          .computeIfAbsent(scorer, _ -> new ArrayList<>())
          .add(
              values.stream()
                  .mapToDouble(value -> value instanceof Number number ? number.doubleValue() : 0)
                  .toArray());
    }
  }

  /** Where the variance of scores comes from, for scorers that judged each answer repeatedly. */
  private Map<String, VarianceComponents> variances() {
    Map<String, VarianceComponents> variances = new LinkedHashMap<>();
    for (NamedScorer scorer : scorers) {
      VarianceComponents.of(repeats.getOrDefault(scorer.name(), List.of()))
          .ifPresent(parts -> variances.put(scorer.name(), parts));
    }
    return variances;
  }

  /** With the variances among the metrics, so that the log has them. */
  private static ScorerMetrics withVariances(
      ScorerMetrics scores, Map<String, VarianceComponents> variances) {
    VarianceComponents parts = variances.get(scores.scorer());
    if (parts == null) {
      return scores;
    }
    Map<String, Double> metrics = new LinkedHashMap<>(scores.metrics());
    metrics.put("answer_var", parts.between());
    metrics.put("judge_var", parts.within());
    return new ScorerMetrics(
        scores.scorer(), scores.reducer(), metrics, scores.interval(), scores.scored());
  }

  /** How many samples have their new scores. */
  int scored() {
    return outcomes.getOrDefault(Outcome.SCORED, 0);
  }

  /**
   * @param old how the log ended that is scored
   * @param ran how the run ended whose answers these are
   * @param uses what graders did now
   * @param earlier what scores have cost that were taken over
   * @param usedUp why no other sample might be begun, if so
   */
  Finished finished(
      Optional<RunResult> old,
      ScoredRun ran,
      Path written,
      List<ModelUse> uses,
      List<ModelUse> earlier,
      int takenOver,
      boolean cancelled,
      Optional<String> usedUp) {
    int scored = scored();
    int failed = outcomes.getOrDefault(Outcome.FAILED, 0);
    int leftOut = outcomes.getOrDefault(Outcome.LEFT_OUT, 0);
    List<Reducer> reducers = reducers(old);
    Map<String, VarianceComponents> variances = variances();
    List<ScorerMetrics> added =
        scorers.stream()
            .flatMap(scorer -> book.metrics(scorer.name(), scorer.metrics(), reducers).stream())
            .map(scores -> withVariances(scores, variances))
            .toList();
    Optional<String> problem = problem(scored, failed);
    // Who had scored all by then was not stopped.
    Optional<String> stopped =
        usedUp.filter(_ -> !cancelled && outcomes.containsKey(Outcome.NOT_REACHED));
    return new Finished(
        result(
            old,
            ran,
            added,
            reducers,
            Stream.of(uses, earlier).flatMap(List::stream).toList(),
            problem,
            cancelled,
            stopped),
        written,
        added,
        variances,
        scored,
        takenOver,
        leftOut,
        failed,
        uses,
        problem,
        cancelled,
        stopped,
        Optional.ofNullable(refusal));
  }

  /** What reducers made of each sample, for each scorer of the new log. */
  List<Reduced> reductions(Optional<RunResult> old) {
    List<Reduced> all = new ArrayList<>();
    for (String scorer : start.scorers()) {
      reducers(old).forEach(reducer -> all.add(book.reductions(scorer, reducer)));
    }
    return all;
  }

  /** Those asked for; or else those of the old log; or else the mean. */
  private List<Reducer> reducers(Optional<RunResult> old) {
    if (!asked.isEmpty()) {
      return asked;
    }
    List<Reducer> used = new ArrayList<>();
    for (ScorerMetrics metrics : old.map(RunResult::scores).orElse(List.of())) {
      try {
        Reducer reducer = Reducer.parse(metrics.reducer());
        if (!used.contains(reducer)) {
          used.add(reducer);
        }
      } catch (ConfigurationException ofALaterVersion) {
        // The mean can always be told.
      }
    }
    return used.isEmpty() ? List.of(Reducer.MEAN) : used;
  }

  private Optional<String> problem(int scored, int failed) {
    if (refusal != null) {
      return Optional.of("a grader refused for good: " + refusal.message());
    }
    double most =
        failOnError > 0 && failOnError < 1 ? failOnError * (scored + failed) : failOnError;
    return failed > most
        ? Optional.of("%d of %d samples could not be scored".formatted(failed, scored + failed))
        : Optional.empty();
  }

  private RunResult result(
      Optional<RunResult> old,
      ScoredRun ran,
      List<ScorerMetrics> added,
      List<Reducer> reducers,
      List<ModelUse> uses,
      Optional<String> problem,
      boolean cancelled,
      Optional<String> stopped) {
    List<ScorerMetrics> all = new ArrayList<>();
    if (action == Action.APPEND) {
      all.addAll(old.map(RunResult::scores).orElseGet(() -> recounted(reducers)));
    }
    all.addAll(added);
    RunResult.Counts counts = counts(old);
    List<ModelUse> models = new ArrayList<>(old.map(RunResult::models).orElse(List.of()));
    models.addAll(uses);
    return new RunResult(
        start,
        status(ran, problem, cancelled || stopped.isPresent()),
        problem.or(ran::error),
        Optional.empty(),
        stopped.or(ran::stopped),
        time.instant(),
        (time.nanos() - begun) / 1e9,
        all.getFirst().metrics(),
        all,
        accuracyOverAll(old, reducers),
        counts,
        tokens,
        cost,
        cachedAnswers,
        retries,
        times,
        models,
        old.map(RunResult::limits).orElse(Map.of()),
        old.map(RunResult::failures).orElse(List.of()),
        old.flatMap(RunResult::retriedSamples));
  }

  /** The old scores of a run that did not live to count them. */
  private List<ScorerMetrics> recounted(List<Reducer> reducers) {
    List<Metric> usual = Metrics.usual();
    List<String> added = scorers.stream().map(NamedScorer::name).toList();
    return start.scorers().stream()
        .filter(name -> !added.contains(name))
        .flatMap(name -> book.metrics(name, usual, reducers).stream())
        .toList();
  }

  /** A run that did not reach its end still has not, however well it was scored. */
  private static Status status(ScoredRun ran, Optional<String> problem, boolean cancelled) {
    if (problem.isPresent()) {
      return Status.ERROR;
    }
    return cancelled ? Status.CANCELLED : ran.status();
  }

  private RunResult.Counts counts(Optional<RunResult> old) {
    int known = outcomes.values().stream().mapToInt(Integer::intValue).sum();
    int total =
        Math.max(
            old.map(result -> result.samples().total()).orElse(start.samples() * start.epochs()),
            known);
    // Those without a new score have the scores that they had, and count if they had any.
    int scored =
        outcomes.getOrDefault(Outcome.SCORED, 0)
            + outcomes.getOrDefault(Outcome.NOT_REACHED, 0)
            + keptScores
            - withoutScore;
    int failed = known - scored - cancelledBefore - withoutScore;
    return new RunResult.Counts(total, scored, failed, total - scored - failed);
  }

  private Optional<Double> accuracyOverAll(Optional<RunResult> old, List<Reducer> reducers) {
    if (action == Action.APPEND && old.isPresent()) {
      return old.get().accuracyOverAll();
    }
    return book.meanOverAll(start.scorers().getFirst(), reducers.getFirst());
  }
}

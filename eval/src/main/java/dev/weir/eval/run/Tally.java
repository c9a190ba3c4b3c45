package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.Reducer;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.Reduced;
import dev.weir.log.RunResult.FailedSample;
import dev.weir.log.RunResult.Range;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.Times;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import dev.weir.statistics.GroupComparison;
import dev.weir.statistics.Summary;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What became of the samples of a run so far. Of each it keeps but its scores, so a run of a
 * million samples needs a few megabytes. Not thread-safe: guarded by the run.
 */
final class Tally {

  private static final int MOST_LIMIT_TYPES = 20;

  /** Enough to see what went wrong; the others are in the log. */
  private static final int MOST_FAILURES = 5;

  private static final double NONE = Double.NaN;
  private static final double ROUNDING = 1e-6;

  private final RunPlan plan;
  private final int epochs;
  private final long total;
  private int scored;
  private int failed;
  private Optional<String> firstTraceback = Optional.empty();
  private int poisoned;
  private Tokens tokens = Tokens.NONE;
  private Spend spend = Spend.NONE;
  private Times times = Times.NONE;
  private long cachedAnswers;
  private long retries;
  // How many samples each type of limit ended; a bounded number, since solvers may make up types.
  private final Map<String, Integer> limits = new TreeMap<>();
  private final List<FailedSample> failures = new ArrayList<>();
  // By scorer, then sample, then epoch; without a score, not a number.
  private final double[][] scores;
  // Places of samples that were run again.
  private final BitSet wereRetried = new BitSet();
  // Places of samples that failed, or ended without a score; those that were cancelled did not end.
  private final BitSet asZero = new BitSet();
  private final ScoreSoFar soFar;

  Tally(RunPlan plan) {
    this.plan = plan;
    this.total = Run.total(plan);
    this.epochs = plan.options().samples().epochs().orElse(1);
    this.scores = new double[plan.task().scorers().size()][(int) total];
    this.soFar = new ScoreSoFar(epochs, plan.task().scorers().getFirst().metrics());
    for (double[] all : scores) {
      Arrays.fill(all, NONE);
    }
  }

  /**
   * @param index of the sample in the dataset
   */
  void add(int index, SampleResult result, Spend cost) {
    spent(result, cost);
    result.limit().ifPresent(hit -> limits.merge(limitType(hit.type()), 1, Integer::sum));
    int place = index * epochs + result.epoch() - 1;
    wereRetried.set(place, !result.errorRetries().isEmpty());
    List<NamedScorer> scorers = plan.task().scorers();
    for (int i = 0; i < scorers.size(); i++) {
      ScoreResult score = result.scores().get(scorers.get(i).name());
      if (score != null) {
        scores[i][place] = score.value();
      }
    }
    boolean hasScore = !Double.isNaN(scores[0][place]);
    if (result.error().isPresent() || (!result.cancelled() && !hasScore)) {
      asZero.set(place);
    } else if (hasScore) {
      soFar.add(scores[0][place]);
    }
    if (result.error().isPresent()) {
      failed++;
      firstTraceback = firstTraceback.or(result::traceback);
      if (failures.size() < MOST_FAILURES) {
        failures.add(new FailedSample(result.id(), result.epoch(), result.error().get()));
      }
    } else if (!result.cancelled()) {
      scored++;
    }
  }

  /** A sample that an earlier run has finished, and paid for. */
  void keep(int index, SampleSummary summary) {
    int place = index * epochs + summary.epoch() - 1;
    wereRetried.set(place, summary.errorRetries() > 0);
    List<NamedScorer> scorers = plan.task().scorers();
    for (int i = 0; i < scorers.size(); i++) {
      Double score = summary.scores().get(scorers.get(i).name());
      if (score != null) {
        scores[i][place] = score;
      }
    }
    tokens = tokens.plus(summary.tokens());
    spend =
        spend.plus(
            new Spend(
                summary.cost().knownUsd(),
                summary.cost().pricedCalls(),
                summary.cost().unknownCalls()));
    times = times.plus(summary.times());
    scored++;
    if (Double.isNaN(scores[0][place])) {
      asZero.set(place);
    } else {
      soFar.add(scores[0][place]);
    }
  }

  /** What the first scorer says so far of samples that did not fail, by the first reducer. */
  Optional<RunProgress.Score> score() {
    return soFar.score(() -> reduced(ofSound(), reducers().getFirst()));
  }

  /** The scores of the first scorer, without those of samples that failed. */
  private double[] ofSound() {
    double[] sound = scores[0].clone();
    asZero.stream().forEach(place -> sound[place] = NONE);
    return sound;
  }

  private String limitType(String type) {
    return limits.containsKey(type) || limits.size() < MOST_LIMIT_TYPES ? type : "other";
  }

  /** What a sample has used, whether it counts or is run again. */
  void spent(SampleResult result, Spend cost) {
    tokens = tokens.plus(result.tokens());
    spend = spend.plus(cost);
    times = times.plus(result.times());
    cachedAnswers += result.cachedAnswers();
    retries += result.retries();
  }

  /** A sample that was added as failed does not count before the end: its request is at fault. */
  void poisoned() {
    poisoned++;
  }

  /** Whether more have failed than may. */
  boolean hasTooManyErrors() {
    return isTooMany(failed);
  }

  /** Whether more have failed than may, without those that count at the end. */
  boolean hasTooManyErrorsSoFar() {
    return isTooMany(failed - poisoned);
  }

  private boolean isTooMany(int errors) {
    double most = plan.options().errors().failOnError().orElse(0.0);
    // A share such as 0.29 is stored as a little less than that.
    return errors > (most > 0 && most < 1 ? most * total + ROUNDING : most);
  }

  /** The stack trace of the first sample that failed. */
  Optional<String> firstTraceback() {
    return firstTraceback;
  }

  /** How many have failed, and how many may, if that is not none. */
  String failedOf() {
    double most = plan.options().errors().failOnError().orElse(0.0);
    String allowed = BigDecimal.valueOf(most).stripTrailingZeros().toPlainString();
    return "%d of %d samples failed%s"
        .formatted(failed, total, most > 0 ? ", and fail_on_error is " + allowed : "");
  }

  /** Of each scorer, and each reducer if samples are repeated. */
  List<ScorerMetrics> metrics() {
    List<ScorerMetrics> all = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      NamedScorer scorer = plan.task().scorers().get(i);
      for (Reducer reducer : reducers()) {
        List<ScoredSample> reduced = reduced(scores[i], reducer);
        all.add(
            new ScorerMetrics(
                scorer.name(),
                reducer.word(),
                Metrics.compute(scorer.metrics(), reduced),
                Metrics.interval(scorer.metrics(), reduced)
                    .map(
                        interval ->
                            new Range(
                                interval.low(),
                                interval.high(),
                                Optional.of(interval.method().words()))),
                Optional.of(reduced.size())));
      }
    }
    return all;
  }

  /** What reducers made of each sample, also if none is repeated. */
  List<Reduced> reductions() {
    List<Sample> samples = plan.task().dataset().samples();
    List<Reduced> all = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      for (Reducer reducer : reducers()) {
        List<Reduced.Value> values = new ArrayList<>();
        for (int index = 0; index < samples.size(); index++) {
          String id = samples.get(index).id();
          reducer
              .reduce(ofSample(scores[i], index), epochs)
              .ifPresent(value -> values.add(new Reduced.Value(id, value)));
        }
        all.add(new Reduced(plan.task().scorers().get(i).name(), reducer.word(), values));
      }
    }
    return all;
  }

  private List<Reducer> reducers() {
    List<String> words = plan.options().samples().reducers();
    return words.isEmpty() ? List.of(Reducer.MEAN) : words.stream().map(Reducer::parse).toList();
  }

  private List<ScoredSample> reduced(double[] all, Reducer reducer) {
    List<Sample> samples = plan.task().dataset().samples();
    List<ScoredSample> reduced = new ArrayList<>(samples.size());
    for (int index = 0; index < samples.size(); index++) {
      OptionalDouble one = reducer.reduce(ofSample(all, index), epochs);
      if (one.isPresent()) {
        Sample sample = samples.get(index);
        reduced.add(
            new ScoredSample(sample.id(), one.getAsDouble(), Records.known(sample.metadata())));
      }
    }
    return reduced;
  }

  private double[] ofSample(double[] all, int index) {
    return Arrays.stream(all, index * epochs, (index + 1) * epochs)
        .filter(score -> !Double.isNaN(score))
        .toArray();
  }

  /**
   * Whether samples that were run again, in any epoch, score otherwise than the others, in a
   * sentence. Epochs of a sample depend on each other, so they are made one score first.
   */
  Optional<String> retriedSamples() {
    double[] retried = scoresOf(true);
    double[] others = scoresOf(false);
    return retried.length > 0 && others.length == 0
        ? Optional.of(
            "All samples with a score were retried: there are no others to compare them with.")
        : GroupComparison.compare(retried, others, plan.seed())
            .map(comparison -> comparison.sentence("retried"));
  }

  /** Of the first scorer by the first reducer, of samples of which any epoch was retried or not. */
  private double[] scoresOf(boolean retried) {
    Reducer reducer = reducers().getFirst();
    return IntStream.range(0, plan.task().dataset().samples().size())
        .filter(index -> wasRetried(index) == retried)
        .mapToObj(index -> reducer.reduce(ofSample(scores[0], index), epochs))
        .flatMapToDouble(OptionalDouble::stream)
        .toArray();
  }

  private boolean wasRetried(int index) {
    int next = wereRetried.nextSetBit(index * epochs);
    return next >= 0 && next < (index + 1) * epochs;
  }

  /**
   * The mean of the first scorer over all samples, by the first reducer, epochs that failed counted
   * as 0, whatever score they were given. Epochs that did not end are left out.
   */
  Optional<Double> accuracyOverAll() {
    Reducer reducer = reducers().getFirst();
    double[] sound = ofSound();
    var all = new Summary();
    for (int index = 0; index < plan.task().dataset().samples().size(); index++) {
      int failures = asZero.get(index * epochs, (index + 1) * epochs).cardinality();
      reducer.reduceWithFailures(ofSample(sound, index), failures, epochs).ifPresent(all::add);
    }
    return all.mean().isPresent() ? Optional.of(all.mean().getAsDouble()) : Optional.empty();
  }

  /** How many samples each type of limit ended early. */
  Map<String, Integer> limits() {
    return limits;
  }

  /** The first few that failed. */
  List<FailedSample> failures() {
    return failures;
  }

  int scored() {
    return scored;
  }

  int failed() {
    return failed;
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

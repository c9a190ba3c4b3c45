package dev.weir.log;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a run when it has ended, in whatever way.
 *
 * @param error why it ended, if it did not succeed
 * @param traceback the stack trace of what it failed with, if there is one
 * @param stopped why it was stopped before the end although nothing failed: a budget
 * @param seconds how long it took; wall time may jump, this does not
 * @param metrics of the first scorer by name: {@code accuracy}, {@code stderr}; absent where there
 *     was nothing to measure
 * @param scores the metrics of each scorer
 * @param accuracyOverAll the mean of the first scorer over all that ended, by the first reducer,
 *     epochs that failed counted as 0
 * @param samples what became of them, each repetition counted
 * @param tokens of all answers, those from a cache among them
 * @param cost of those that were made for this run
 * @param cachedAnswers how many came from a cache
 * @param times of all samples together
 * @param models what each model of the run did
 * @param limits how many samples each type of limit ended early
 * @param failures the first few samples that failed; all are in the log
 * @param retriedSamples whether samples that were run again score otherwise, in a sentence
 */
public record RunResult(
    RunStart start,
    Status status,
    Optional<String> error,
    Optional<String> traceback,
    Optional<String> stopped,
    Instant ended,
    double seconds,
    Map<String, Double> metrics,
    List<ScorerMetrics> scores,
    Optional<Double> accuracyOverAll,
    Counts samples,
    Tokens tokens,
    Cost cost,
    long cachedAnswers,
    long retries,
    Times times,
    List<ModelUse> models,
    Map<String, Integer> limits,
    List<FailedSample> failures,
    Optional<String> retriedSamples) {

  /** How a run ended. */
  public enum Status {
    SUCCESS,
    ERROR,
    CANCELLED
  }

  public RunResult {
    metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    scores = List.copyOf(scores);
    models = List.copyOf(models);
    failures = List.copyOf(failures);
    limits = Collections.unmodifiableMap(new LinkedHashMap<>(limits));
  }

  /** The same run as a failure: so many of its samples are not in its log. */
  public RunResult without(int lost, String why) {
    int gone = Math.min(lost, samples.scored());
    return new RunResult(
        start,
        status == Status.CANCELLED ? Status.CANCELLED : Status.ERROR,
        Optional.of(error.map(before -> before + "; " + why).orElse(why)),
        traceback,
        stopped,
        ended,
        seconds,
        metrics,
        scores,
        accuracyOverAll,
        new Counts(
            samples.total(),
            samples.scored() - gone,
            samples.failed(),
            samples.unfinished() + gone),
        tokens,
        cost,
        cachedAnswers,
        retries,
        times,
        models,
        limits,
        failures,
        retriedSamples);
  }

  /**
   * The same run, of which only so many samples are in its log. What was spent on the others was
   * spent.
   *
   * @param held what those in the log amount to; absent if there is no log
   */
  public RunResult withOnly(Optional<RunResult> held) {
    return new RunResult(
        start,
        status,
        error,
        traceback,
        stopped,
        ended,
        seconds,
        held.map(RunResult::metrics).orElse(Map.of()),
        held.map(RunResult::scores).orElse(List.of()),
        held.flatMap(RunResult::accuracyOverAll),
        held.map(RunResult::samples)
            .orElseGet(() -> new Counts(samples.total(), 0, 0, samples.total())),
        tokens,
        cost,
        cachedAnswers,
        retries,
        times,
        models,
        limits,
        held.map(RunResult::failures).orElse(List.of()),
        retriedSamples);
  }

  /**
   * Every sample is counted exactly once.
   *
   * @param total those that the run was to evaluate
   * @param scored those with a score and no error
   * @param failed those that ended with an error
   * @param unfinished those that were not reached, or cancelled
   */
  public record Counts(int total, int scored, int failed, int unfinished) {

    public Counts {
      if (scored < 0 || failed < 0 || unfinished < 0 || scored + failed + unfinished != total) {
        throw new IllegalArgumentException(
            "`total` must be the sum of scored, failed and unfinished, was %s for %s, %s and %s"
                .formatted(total, scored, failed, unfinished));
      }
    }
  }

  /**
   * What the scores of a scorer amount to.
   *
   * @param reducer what was made of repeated samples: {@code mean}
   * @param interval of the mean score, if the scores tell one
   * @param scored how many samples have a score of it, repetitions reduced to one; absent in logs
   *     that do not tell
   */
  public record ScorerMetrics(
      String scorer,
      String reducer,
      Map<String, Double> metrics,
      Optional<Range> interval,
      Optional<Integer> scored) {

    public ScorerMetrics {
      metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }
  }

  /**
   * The 95 % confidence interval of a mean.
   *
   * @param method how it was found, such as {@code Wilson}; absent in logs that do not say
   */
  public record Range(double low, double high, Optional<String> method) {}

  /** A sample that failed, and why. */
  public record FailedSample(String id, int epoch, String error) {}

  /**
   * What a model did in a run.
   *
   * @param role {@code evaluated}, {@code grader}
   * @param calls answers, those from a cache among them
   * @param suggestedMaxConnections what would be enough for the known rate, in modes with a window
   * @param limitedBy what its calls waited for longest, if they did for long
   */
  public record ModelUse(
      String model,
      String role,
      long calls,
      long retries,
      Tokens tokens,
      Cost cost,
      Optional<Integer> suggestedMaxConnections,
      Optional<LimitedBy> limitedBy) {}

  /**
   * What limited the calls to a model.
   *
   * @param limit in words, such as {@code requests per minute}
   * @param share of the time of the run during which at least one call waited for it, from 0 to 1
   * @param seconds that time
   * @param doubling what would have to be twice as large to halve that time, such as {@code the
   *     tier}, if anything would
   * @param savedSeconds how much that would save: half of the seconds
   */
  public record LimitedBy(
      String limit,
      double share,
      double seconds,
      Optional<String> doubling,
      Optional<Double> savedSeconds) {

    /** What {@link #limit} is where a configured limit of an engine held calls up. */
    public static final String ENGINE_LIMIT = "a configured engine limit";
  }
}

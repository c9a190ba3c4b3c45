package dev.weir.log;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that is known of a run when it has ended, in whatever way.
 *
 * @param runId names the run; part of the file's name
 * @param error why it ended, if it did not succeed
 * @param seed what every random choice of the run depended on
 * @param concurrencyMode how its calls were regulated: {@code pace}
 * @param maxConnections the most calls that might have been in flight
 * @param seconds how long it took; wall time may jump, this does not
 * @param metrics by name: {@code accuracy}, {@code stderr}; absent where there was nothing to
 *     measure
 * @param tokens of all answers, those from a cache among them
 * @param cost of those that were made for this run
 * @param cachedAnswers how many came from a cache
 * @param results one for each sample that was finished or failed, in the order of the dataset
 */
public record RunResult(
    String runId,
    Status status,
    Optional<String> error,
    String task,
    String model,
    long seed,
    String concurrencyMode,
    int maxConnections,
    Instant started,
    Instant ended,
    double seconds,
    Map<String, Double> metrics,
    Counts samples,
    Tokens tokens,
    Cost cost,
    long cachedAnswers,
    long retries,
    List<SampleResult> results) {

  /** How a run ended. */
  public enum Status {
    SUCCESS,
    ERROR,
    CANCELLED
  }

  public RunResult {
    metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    results = List.copyOf(results);
  }

  /**
   * Every sample is counted exactly once.
   *
   * @param total those that the run was to evaluate
   * @param scored those with a score
   * @param failed those that ended with an error; they are not scored
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
   * Tokens of answers.
   *
   * @param input all that was read
   * @param output all that was written
   * @param cacheRead the part of the input that the provider had in its cache
   * @param cacheWrite the part of the input that it put there
   * @param reasoning the part of the output that was thought
   */
  public record Tokens(long input, long output, long cacheRead, long cacheWrite, long reasoning) {

    public Tokens(long input, long output) {
      this(input, output, 0, 0, 0);
    }

    public Tokens plus(Tokens other) {
      return new Tokens(
          input + other.input,
          output + other.output,
          cacheRead + other.cacheRead,
          cacheWrite + other.cacheWrite,
          reasoning + other.reasoning);
    }
  }

  /**
   * What answers cost. A price that nobody knows is not 0.
   *
   * @param usd the sum, if all of it is known
   * @param knownUsd what is known of it
   * @param pricedCalls how many calls are in that
   * @param unknownCalls how many are not
   */
  public record Cost(
      Optional<BigDecimal> usd, BigDecimal knownUsd, long pricedCalls, long unknownCalls) {

    public static final Cost NONE = new Cost(Optional.of(BigDecimal.ZERO), BigDecimal.ZERO, 0, 0);
  }

  /**
   * One sample.
   *
   * @param output what the model said at last, if it did
   * @param score from 0 to 1, if it was scored
   * @param error why it failed, if it did
   * @param retries attempts beyond the first of each request
   * @param cachedAnswers how many of its answers came from a cache
   * @param times where its time went
   */
  public record SampleResult(
      String id,
      String input,
      String target,
      Optional<String> output,
      Optional<Double> score,
      Optional<String> error,
      long retries,
      Tokens tokens,
      Cost cost,
      long cachedAnswers,
      Times times) {}

  /**
   * Seconds of a sample. Waiting is never part of {@code called}.
   *
   * @param queued waiting for calls of others to end
   * @param paced waiting for the time that the pace allows
   * @param backedOff waiting between attempts
   * @param failed in attempts that failed
   * @param called in attempts that were answered
   * @param total from its start to its end
   */
  public record Times(
      double queued, double paced, double backedOff, double failed, double called, double total) {

    public static final Times NONE = new Times(0, 0, 0, 0, 0, 0);
  }
}

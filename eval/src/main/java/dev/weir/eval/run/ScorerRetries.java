package dev.weir.eval.run;

import dev.weir.eval.sample.GenerationFailedException;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.scorer.Score;
import dev.weir.limits.StoppedException;
import dev.weir.model.ConfigurationException;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Retries of a scorer that fails, such as a grader that gives no grade. */
final class ScorerRetries {

  /** More than a log is judged repeatedly, and more than a run has epochs. */
  private static final long REPETITIONS = 1_000_000;

  /** A prime: what epochs and repetitions add up to is no attempt of another. */
  private static final long ATTEMPTS = 1_000_000_007;

  private ScorerRetries() {}

  /** One scoring, which may be attempted several times. */
  interface Scoring {

    /**
     * @param attempt 0 for the first
     */
    Score attempt(int attempt) throws Exception;

    /** Whether another attempt is wanted after this failure; also records it. */
    boolean retries(Map<String, Object> note);
  }

  /**
   * The score of the first attempt that succeeds.
   *
   * @throws Exception that of the last attempt
   */
  static Score score(String scorer, int retries, Scoring scoring) throws Exception {
    for (int attempt = 0; ; attempt++) {
      try {
        return scoring.attempt(attempt);
      } catch (Exception failed) {
        if (attempt == retries
            || !mayPass(failed)
            || !scoring.retries(
                Map.of(
                    "scorer", scorer, "retry", attempt + 1, "error", SampleRun.describe(failed)))) {
          throw failed;
        }
      }
    }
  }

  /** Whether another attempt may succeed, and is not forbidden by what ended this one. */
  private static boolean mayPass(Exception failed) {
    return switch (failed) {
      case InterruptedException _,
          CancellationException _,
          StoppedException _,
          StoppedRunException _,
          SampleLimitExceededException _,
          ConfigurationException _ ->
          false;
      case GenerationFailedException refused ->
          !refused.isPoisoned() && !Ending.isForGood(refused.failure());
      default -> true;
    };
  }

  /**
   * The epoch that a grader is asked in, so that no attempt gets the answer to another from a
   * cache; that of the sample for the first one.
   */
  static int epoch(int epoch, int repetition, int attempt) {
    return (int)
        ((epoch + repetition * REPETITIONS + attempt * ATTEMPTS) % (Integer.MAX_VALUE + 1L));
  }
}

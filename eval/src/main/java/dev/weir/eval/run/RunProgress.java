package dev.weir.eval.run;

import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import dev.weir.statistics.Interval;
import java.time.Duration;
import java.util.Optional;

/**
 * A run at one moment.
 *
 * @param total samples to evaluate, each repetition counted
 * @param scored those with a score so far
 * @param failed those that ended with an error so far
 * @param running those that are open
 * @param inFlight its calls to the evaluated model that are with the provider; others may have some
 *     in the same lane
 * @param maxSamples how many may be, if that was given
 * @param score what the first scorer says so far, if anything
 * @param lane what the model's lane is doing
 * @param waitingFor what the next call in line waits for
 * @param waitsFor how long at least, if that is known
 * @param elapsed since the run began
 * @param paused what it does not do until it is told to, or can, in words
 * @param ending why no new samples start, if so; it waits for those that are open
 * @param ended whether it has
 */
public record RunProgress(
    String task,
    String model,
    int total,
    int scored,
    int failed,
    int running,
    int inFlight,
    Optional<Integer> maxSamples,
    Optional<Score> score,
    Lane.Status lane,
    Waiting waitingFor,
    Optional<Duration> waitsFor,
    Tokens tokens,
    Spend spend,
    Duration elapsed,
    Optional<String> paused,
    Optional<String> ending,
    boolean ended) {

  /**
   * The mean over the samples that have a score, their epochs reduced as in the result.
   *
   * @param interval where the true mean lies, 95 % of the time; empty if that cannot be told yet
   */
  public record Score(double mean, Optional<Interval> interval) {}

  public int done() {
    return scored + failed;
  }

  /** Samples that are not open only because as many are as may be; 0 if that holds up none. */
  public int waitingForOthers() {
    boolean isFull = !ended && maxSamples.filter(most -> running >= most).isPresent();
    return isFull ? Math.max(0, total - done() - running) : 0;
  }
}

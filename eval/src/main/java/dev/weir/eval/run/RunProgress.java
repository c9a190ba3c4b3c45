package dev.weir.eval.run;

import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.util.Optional;

/**
 * A run at one moment.
 *
 * @param total samples to evaluate, each repetition counted
 * @param scored those with a score so far
 * @param failed those that ended with an error so far
 * @param running those that are open
 * @param scoreSum the sum of the scores of the first scorer so far
 * @param scoreSquares the sum of their squares
 * @param lane what the model's lane is doing
 * @param waitingFor what the next call in line waits for
 * @param waitsFor how long at least, if that is known
 * @param elapsed since the run began
 * @param ended whether it has
 */
public record RunProgress(
    String task,
    String model,
    int total,
    int scored,
    int failed,
    int running,
    double scoreSum,
    double scoreSquares,
    Lane.Status lane,
    Waiting waitingFor,
    Optional<Duration> waitsFor,
    Tokens tokens,
    Spend spend,
    Duration elapsed,
    boolean ended) {

  public int done() {
    return scored + failed;
  }
}

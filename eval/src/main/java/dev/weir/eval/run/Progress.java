package dev.weir.eval.run;

import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import java.time.Duration;
import java.util.Optional;

/**
 * A run at one moment.
 *
 * @param total samples to evaluate
 * @param scored samples with a score so far
 * @param failed samples that ended with an error so far
 * @param scoreSum the sum of the scores so far
 * @param lane what the model's lane is doing
 * @param waitingFor what the next call in line waits for
 * @param waitsFor how long at least, if that is known
 * @param elapsed since the run began
 */
public record Progress(
    int total,
    int scored,
    int failed,
    double scoreSum,
    Lane.Status lane,
    Waiting waitingFor,
    Optional<Duration> waitsFor,
    Duration elapsed) {

  public int done() {
    return scored + failed;
  }
}

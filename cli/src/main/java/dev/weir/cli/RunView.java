package dev.weir.cli;

import dev.weir.eval.run.RunProgress;
import java.time.Duration;
import java.util.Optional;

/**
 * A run as it is shown.
 *
 * @param left how long it will still take, if that can be told
 * @param limit what limits it, in words, if anything does
 */
record RunView(RunProgress run, Optional<Duration> left, Optional<String> limit) {

  /** When it will have ended: {@code 04:43}, {@code done}, or {@code --:--} if nobody knows. */
  String eta() {
    if (run.ended()) {
      return "done";
    }
    return left.filter(_ -> run.ending().isEmpty()).map(Numbers::clock).orElse("--:--");
  }
}

package dev.weir.cli;

import dev.weir.eval.run.RunProgress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A run as it is shown.
 *
 * @param left how long it will still take, if that can be told
 * @param limit what limits it, in words, if anything does
 * @param retries of all its models, as its result will have them; empty where that is unknown
 */
record RunView(
    RunProgress run, Optional<Duration> left, Optional<String> limit, OptionalLong retries) {

  /** A run that no other shares a model with. */
  RunView(RunProgress run, Optional<Duration> left, Optional<String> limit) {
    this(run, left, limit, OptionalLong.of(run.lane().retries()));
  }

  /**
   * When it will have ended: {@code 04:43}, {@code done}, {@code stopped}, or {@code --:--} if that
   * is unknown.
   */
  String eta() {
    if (run.ended()) {
      return isStopped(run) ? "stopped" : "done";
    }
    return left.filter(_ -> run.ending().isEmpty()).map(Numbers::clock).orElse("--:--");
  }

  /** Whether it ended with samples that had not. */
  static boolean isStopped(RunProgress run) {
    return run.ended() && run.done() < run.total();
  }
}

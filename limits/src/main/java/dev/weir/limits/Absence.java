package dev.weir.limits;

import dev.weir.time.Time;
import java.time.Duration;

/**
 * How long a model has not answered, whoever asked it: waits of one request after another add up,
 * so a bound on each of them bounds nothing.
 */
final class Absence {

  /** Fewer failures may be the fault of a request. */
  private static final int FEWEST_FAILURES = 4;

  private long patienceNanos = Time.NEVER;
  private int failures;
  private long since;

  void bound(Duration patience) {
    patienceNanos = patience.toNanos();
  }

  void failed(long now) {
    if (failures++ == 0) {
      since = now;
    }
  }

  /** Be it with a refusal. */
  void answered() {
    failures = 0;
  }

  boolean isTooLong(long now) {
    return patienceNanos != Time.NEVER
        && failures >= FEWEST_FAILURES
        && now - since >= patienceNanos;
  }

  String reason() {
    return "it has not answered for %d s".formatted(Duration.ofNanos(patienceNanos).toSeconds());
  }
}

package dev.weir.simulator;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A bucket of request tokens, refilled continuously, full at the start.
 *
 * <p>Not thread-safe; fed with the time.
 */
final class RequestBucket {

  private static final double NANOS_PER_MINUTE = 60e9;

  private final double refillPerNano;
  private final double burst;
  private double level;
  private long levelAt;

  RequestBucket(double perMinute, int burst, long now) {
    this.refillPerNano = perMinute / NANOS_PER_MINUTE;
    this.burst = burst;
    this.level = burst;
    this.levelAt = now;
  }

  /** What is left, as of the last time that a token was asked for. */
  QuotaSnapshot snapshot() {
    return new QuotaSnapshot(
        Dimension.REQUESTS,
        Dimension.REQUESTS.word(),
        OptionalDouble.of(burst),
        OptionalDouble.of(Math.floor(level)),
        Optional.of(Reset.in(Duration.ofNanos((long) ((burst - level) / refillPerNano)))),
        Optional.empty(),
        1,
        "sim");
  }

  /** Takes one token; or, if there is none, says how long until there is. */
  Optional<Duration> take(long now) {
    level = Math.min(burst, level + (now - levelAt) * refillPerNano);
    levelAt = now;
    if (level >= 1) {
      level -= 1;
      return Optional.empty();
    }
    return Optional.of(Duration.ofNanos((long) Math.ceil((1 - level) / refillPerNano)));
  }
}

package dev.weir.simulator.provider;

import java.time.Duration;

/**
 * What a provider tells about one quota.
 *
 * @param limit what the quota holds when it is full
 * @param remaining what it holds, rounded down and never negative
 * @param reset the time until it is full again, to the millisecond; not a time to wait
 */
public record QuotaHeader(long limit, long remaining, Duration reset) {

  private static final double NANOS_PER_MILLI = 1e6;

  static QuotaHeader of(Bucket bucket) {
    return new QuotaHeader(
        Math.round(bucket.limit()),
        Math.max(0, (long) Math.floor(bucket.level())),
        Duration.ofMillis(Math.round(bucket.nanosUntilFull() / NANOS_PER_MILLI)));
  }
}

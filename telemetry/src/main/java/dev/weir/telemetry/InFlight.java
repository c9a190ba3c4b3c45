package dev.weir.telemetry;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * Attempts in flight to a model or an engine: now, at most, and over time. Not thread-safe.
 *
 * <p>The sum over time does not depend on the order in which events of different calls come: each
 * attempt adds how long it took.
 */
final class InFlight {

  private static final double NANOS_PER_SECOND = 1e9;

  private final LevelRing ring;
  private int current;
  private long endedNanos;
  // Of those in flight: the sum of the times at which they were sent, since the start.
  private final long start;
  private long sentNanos;
  private OptionalInt limit = OptionalInt.empty();
  private long at;
  private long atLimitNanos;

  InFlight(long now) {
    this.ring = new LevelRing(now);
    this.start = now;
    this.at = now;
  }

  void sent(long now) {
    advance(now);
    sentNanos += now - start;
    current++;
    ring.set(now, current);
  }

  void ended(long now, Duration took) {
    advance(now);
    endedNanos += took.toNanos();
    sentNanos -= now - took.toNanos() - start;
    current--;
    ring.set(now, current);
  }

  void limitTo(long now, OptionalInt newLimit) {
    advance(now);
    limit = newLimit;
  }

  int current() {
    return current;
  }

  LevelRing ring() {
    return ring;
  }

  /** Attempts × seconds so far. */
  double seconds(long now) {
    return (endedNanos + current * (now - start) - sentNanos) / NANOS_PER_SECOND;
  }

  /** How long as many were in flight as may be, or more. */
  double atLimitSeconds(long now) {
    advance(now);
    return atLimitNanos / NANOS_PER_SECOND;
  }

  private void advance(long now) {
    long until = Math.max(at, now);
    if (limit.isPresent() && current >= limit.getAsInt()) {
      atLimitNanos += until - at;
    }
    at = until;
  }
}

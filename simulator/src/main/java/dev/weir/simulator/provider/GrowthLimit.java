package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Acceleration;

/**
 * Whether the accepted requests of the last 10 s are too many compared with those of the minute
 * before.
 */
final class GrowthLimit {

  private static final long RECENT_NANOS = 10_000_000_000L;
  private static final long BEFORE_NANOS = 60_000_000_000L;

  private final double factor;
  private final double floor;
  private final TimeSeries accepted;

  GrowthLimit(Acceleration acceleration, TimeSeries accepted) {
    this.factor = acceleration.factor() * RECENT_NANOS / BEFORE_NANOS;
    this.floor = acceleration.floorPerSecond() * RECENT_NANOS / 1e9;
    this.accepted = accepted;
  }

  /** How long until one more is allowed; 0 if it is. */
  long nanosUntilAllowed(long now) {
    int firstRecent = accepted.indexOf(now - RECENT_NANOS + 1);
    int recent = accepted.size() - firstRecent;
    int before = firstRecent - accepted.indexOf(now - RECENT_NANOS - BEFORE_NANOS + 1);
    if (recent + 1 <= Math.max(floor, factor * before)) {
      return 0;
    }
    // Nothing but the oldest recent one growing old can make room.
    return accepted.at(firstRecent) + RECENT_NANOS - now;
  }
}

package dev.weir.telemetry;

import java.util.OptionalInt;

/**
 * What is in flight to a model or an engine, for a scrape.
 *
 * @param limit that counts; empty if none is known
 */
record Reading(int inFlight, int peak, double seconds, double atLimitSeconds, OptionalInt limit) {

  static Reading of(InFlight inFlight, OptionalInt limit, long now) {
    return new Reading(
        inFlight.current(),
        inFlight.ring().peak(now, Shares.PEAK),
        inFlight.seconds(now),
        inFlight.atLimitSeconds(now),
        limit);
  }
}

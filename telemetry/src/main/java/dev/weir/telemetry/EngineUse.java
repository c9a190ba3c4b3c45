package dev.weir.telemetry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What all models of an engine use together. Thread-safe. */
final class EngineUse {

  private final String engine;
  // Guarded by this.
  private final InFlight inFlight;
  private OptionalInt limit = OptionalInt.empty();

  EngineUse(String engine, long now) {
    this.engine = engine;
    this.inFlight = new InFlight(now);
  }

  String engine() {
    return engine;
  }

  synchronized void sent(long now) {
    inFlight.sent(now);
  }

  synchronized void ended(long now, Duration took) {
    inFlight.ended(now, took);
  }

  synchronized void limitTo(long now, OptionalInt newLimit) {
    limit = newLimit;
    inFlight.limitTo(now, newLimit);
  }

  /** The highest share of its limit within that time; 0 without a limit. */
  synchronized double fullest(long now, Duration within) {
    return limit.isEmpty() ? 0 : (double) inFlight.ring().peak(now, within) / limit.getAsInt();
  }

  synchronized boolean isLimited() {
    return limit.isPresent();
  }

  synchronized Reading read(long now) {
    return Reading.of(inFlight, limit, now);
  }

  synchronized List<Saturation.Point> points(long now) {
    return limit.isEmpty()
        ? List.of()
        : List.of(
            Shares.concurrency(
                engine, Optional.empty(), LimitSource.CONFIGURED, limit.getAsInt(), inFlight, now));
  }

  synchronized Optional<Saturation.History> history(long now) {
    return limit.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Shares.history(inFlight.ring().peaks(now, LevelRing.SLOTS), limit.getAsInt()));
  }
}

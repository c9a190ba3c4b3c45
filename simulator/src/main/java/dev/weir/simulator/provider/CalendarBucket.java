package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.CalendarWindow;
import dev.weir.simulator.provider.ProviderSettings.Quota;

/**
 * A bucket that is filled at the boundaries of fixed windows, and not in between.
 *
 * <p>Its reset is the next boundary, so the refill cannot be computed from limit, remaining and
 * reset as it can for a {@link RefilledBucket}.
 */
final class CalendarBucket extends Bucket {

  private final long windowNanos;
  private final long phaseNanos;
  private final double othersPerNano;

  CalendarBucket(RefusalKind kind, Quota quota, CalendarWindow window, double othersPerSecond) {
    super(kind, quota.burst());
    this.windowNanos = window.length().toNanos();
    this.phaseNanos = window.phase().toNanos();
    this.othersPerNano = othersPerSecond / NANOS_PER_SECOND;
  }

  @Override
  double levelAfter(long now) {
    long windowStart = now - Math.floorMod(now + phaseNanos, windowNanos);
    boolean newWindow = windowStart > levelAt();
    double before = newWindow ? limit() : level();
    long drained = now - (newWindow ? windowStart : levelAt());
    return Math.max(Math.min(0, before), before - othersPerNano * drained);
  }

  @Override
  long nanosUntilLevel(double wanted) {
    return nanosUntilBoundary();
  }

  @Override
  double nanosUntilFull() {
    return (double) nanosUntilBoundary();
  }

  /** Counts from the next window on. */
  @Override
  void scale(double factor) {
    resize(limit() * factor);
  }

  private long nanosUntilBoundary() {
    return windowNanos - Math.floorMod(levelAt() + phaseNanos, windowNanos);
  }
}

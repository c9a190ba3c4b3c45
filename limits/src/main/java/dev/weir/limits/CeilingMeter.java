package dev.weir.limits;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.Cost;
import java.util.ArrayList;
import java.util.List;

/**
 * Spaces attempts so that a {@link RateCeiling} is kept: each moves the time of the next by what it
 * uses. So no minute has more than the ceiling, whenever it begins; of tokens, at most one request
 * more, since a request is sent as a whole. Guarded by the lock of the regulator.
 */
final class CeilingMeter {

  private static final double MINUTE_NANOS = 60e9;

  private RateCeiling ceiling = RateCeiling.NONE;
  // Only of the dimensions that have a ceiling.
  private List<Spacing> spacings = List.of();

  /** When the next attempt may leave by one dimension. */
  private static final class Spacing {
    final Dimension dimension;
    // As doubles, since a token may be less than a nanosecond.
    final double nanosPerUnit;
    double next;

    Spacing(Dimension dimension, double perMinute, double next) {
      this.dimension = dimension;
      this.nanosPerUnit = MINUTE_NANOS / perMinute;
      this.next = next;
    }
  }

  RateCeiling ceiling() {
    return ceiling;
  }

  /** What was sent under another ceiling has been paid for at its rate. */
  void limitTo(RateCeiling newCeiling) {
    List<Spacing> changed = new ArrayList<>();
    for (Dimension dimension : Dimension.values()) {
      newCeiling
          .perMinute(dimension)
          .ifPresent(rate -> changed.add(new Spacing(dimension, rate, next(dimension))));
    }
    ceiling = newCeiling;
    spacings = List.copyOf(changed);
  }

  private double next(Dimension dimension) {
    for (Spacing spacing : spacings) {
      if (spacing.dimension == dimension) {
        return spacing.next;
      }
    }
    return Double.NEGATIVE_INFINITY;
  }

  boolean isSet() {
    return !spacings.isEmpty();
  }

  /** Nanoseconds until an attempt may leave. */
  long waitNanos(long now) {
    double until = Double.NEGATIVE_INFINITY;
    for (Spacing spacing : spacings) {
      until = Math.max(until, spacing.next);
    }
    return (long) Math.max(0, Math.ceil(until - now));
  }

  /** What an attempt that has to wait waits for. */
  Dimension binding() {
    Dimension latest = Dimension.REQUESTS;
    double until = Double.NEGATIVE_INFINITY;
    for (Spacing spacing : spacings) {
      if (spacing.next > until) {
        latest = spacing.dimension;
        until = spacing.next;
      }
    }
    return latest;
  }

  void sent(long now, Cost estimate) {
    for (Spacing spacing : spacings) {
      spacing.next =
          Math.max(spacing.next, (double) now)
              + estimate.of(spacing.dimension) * spacing.nanosPerUnit;
    }
  }

  /**
   * Corrects the estimate.
   *
   * @param used what the attempt has really used; a refused one has used no tokens
   */
  void settle(Cost estimate, Cost used) {
    for (Spacing spacing : spacings) {
      spacing.next +=
          (used.of(spacing.dimension) - estimate.of(spacing.dimension)) * spacing.nanosPerUnit;
    }
  }

  /** The attempt was never made. */
  void withdraw(Cost estimate) {
    for (Spacing spacing : spacings) {
      spacing.next -= estimate.of(spacing.dimension) * spacing.nanosPerUnit;
    }
  }
}

package dev.weir.benchmarks.promises;

import java.time.Duration;

/** Converts seconds with decimals. */
final class Seconds {

  /** The nanoseconds of a second. */
  static final double NANOS = 1e9;

  private Seconds() {}

  static Duration duration(double seconds) {
    return Duration.ofNanos(nanos(seconds));
  }

  static long nanos(double seconds) {
    return Math.round(seconds * NANOS);
  }
}

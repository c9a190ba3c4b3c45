package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.Optional;

/** The rate that an optimal client sustains, and when another one first reaches it. */
record Convergence(double perNano, long fromNanos) {

  private static final long SPAN_NANOS = 20_000_000_000L;
  private static final long STEP_NANOS = 500_000_000L;
  private static final long SETTLING_NANOS = 5_000_000_000L;
  private static final double ENOUGH = 0.9;

  /** The rate after the disturbance; without one, after the first third, when the burst is used. */
  static Convergence to(TimeSeries optimal, Optional<Duration> disturbedUntil) {
    long from = disturbedUntil.map(Duration::toNanos).orElse(0L);
    int first =
        disturbedUntil.isPresent() ? optimal.indexOf(from + SETTLING_NANOS) : optimal.size() / 3;
    int last = optimal.size() - 1;
    if (first >= last || optimal.at(last) == optimal.at(first)) {
      return new Convergence(0, from);
    }
    double perNano = (double) (last - first) / (optimal.at(last) - optimal.at(first));
    return new Convergence(perNano, from);
  }

  /**
   * The time from the disturbance to the first span that carries enough; empty if there is none.
   */
  Optional<Duration> reached(TimeSeries accepted) {
    if (accepted.size() == 0) {
      return Optional.empty();
    }
    long end = accepted.at(accepted.size() - 1);
    for (long start = fromNanos; start + SPAN_NANOS <= end; start += STEP_NANOS) {
      if (accepted.countBetween(start, start + SPAN_NANOS) >= ENOUGH * perNano * SPAN_NANOS) {
        return Optional.of(Duration.ofNanos(start - fromNanos));
      }
    }
    return Optional.empty();
  }
}

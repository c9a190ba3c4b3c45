package dev.weir.limits.header;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/** A snapshot in the making: the one place where the counts of a header are judged. */
final class QuotaDraft {

  private final Dimension dimension;
  private final String name;
  private final String source;
  private OptionalDouble limit = OptionalDouble.empty();
  private OptionalDouble remaining = OptionalDouble.empty();
  private Optional<Reset> reset = Optional.empty();
  private Optional<Duration> window = Optional.empty();
  private double resolution = 1;

  QuotaDraft(Dimension dimension, String name, String source) {
    this.dimension = dimension;
    this.name = name;
    this.source = source;
  }

  /** Takes both counts as the server wrote them, empty if it did not. */
  QuotaDraft counts(String limitText, String remainingText) {
    limit = Numbers.count(limitText);
    remaining = Numbers.count(remainingText);
    if (limit.orElse(0) == 0) {
      // No bucket of size 0 answers: Azure writes 0 and -1 where it does not know, and then a
      // remaining 0 is not an empty bucket either. With no limit stated at all, it is.
      limit = OptionalDouble.empty();
      if (!limitText.isEmpty() && remaining.orElse(1) == 0) {
        remaining = OptionalDouble.empty();
      }
    }
    if (limit.isPresent() && remaining.isPresent()) {
      // Rounding and a limit that was just lowered give more than the limit. The limit is believed:
      // expecting too little costs a moment, expecting too much costs refusals.
      remaining = OptionalDouble.of(Math.min(limit.getAsDouble(), remaining.getAsDouble()));
    }
    return this;
  }

  QuotaDraft reset(Optional<Reset> value) {
    reset = value;
    return this;
  }

  QuotaDraft window(Optional<Duration> value) {
    window = value;
    return this;
  }

  QuotaDraft resolution(double value) {
    resolution = value;
    return this;
  }

  /** Absent if it says nothing: neither a count nor a time to come. */
  Optional<QuotaSnapshot> snapshot() {
    boolean timed = reset.isPresent() && reset.get().after().isPositive();
    if (name.isBlank() || (limit.isEmpty() && remaining.isEmpty() && !timed)) {
      return Optional.empty();
    }
    return Optional.of(
        new QuotaSnapshot(dimension, name, limit, remaining, reset, window, resolution, source));
  }
}

package dev.weir.limits.header;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What one response says about one bucket.
 *
 * <p>It is a claim. {@code limit} may be a capacity, or a rate per minute or per day; {@code
 * remaining} may count another bucket; what they mean shows in what the next responses say.
 *
 * @param dimension what is counted
 * @param name the provider's word for the bucket: {@code "requests"}, {@code "project-tokens"},
 *     {@code "burst"}
 * @param limit what the bucket holds when full, or what it gets in its window
 * @param remaining what is left, at most {@code limit}
 * @param reset the time until the bucket is full again, or until its window ends; for a bucket no
 *     wait, since one unit is back long before
 * @param window the advertised window, if the response names one
 * @param resolution the unit to which {@code remaining} is rounded
 * @param source where it was read, for people: {@code "anthropic-ratelimit-*"}
 */
public record QuotaSnapshot(
    Dimension dimension,
    String name,
    OptionalDouble limit,
    OptionalDouble remaining,
    Optional<Reset> reset,
    Optional<Duration> window,
    double resolution,
    String source) {

  /** The {@code source} of a quota that is named because it ran out: it comes without numbers. */
  static final String VIOLATION = "QuotaFailure";

  public QuotaSnapshot {
    if (name.isBlank()) {
      throw new IllegalArgumentException("`name` must not be blank");
    }
    requireCount("limit", limit);
    requireCount("remaining", remaining);
    if (limit.isPresent() && remaining.orElse(0) > limit.getAsDouble()) {
      throw new IllegalArgumentException(
          "`remaining` must be <= `limit` ("
              + limit.getAsDouble()
              + "), was "
              + remaining.getAsDouble());
    }
    Durations.requireBounded("window", window);
    if (!(resolution > 0 && Double.isFinite(resolution))) {
      throw new IllegalArgumentException("`resolution` must be > 0, was " + resolution);
    }
  }

  /** Whether the response says that nothing is left. */
  public boolean isUsedUp() {
    return remaining.isPresent() ? remaining.getAsDouble() < 1 : source.equals(VIOLATION);
  }

  private static void requireCount(String field, OptionalDouble count) {
    double value = count.orElse(0);
    if (!(value >= 0 && Double.isFinite(value))) {
      throw new IllegalArgumentException("`" + field + "` must be >= 0, was " + value);
    }
  }
}

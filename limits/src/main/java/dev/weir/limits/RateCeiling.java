package dev.weir.limits;

import java.util.OptionalDouble;

/**
 * The most that may be sent to a model per minute, in the modes that enforce a window. Nothing that
 * a response says raises it. (Mode {@code pace} has its own, in its settings.)
 *
 * @param requestsPerMinute attempts, retries included
 * @param tokensPerMinute input and output, as estimated before an attempt and corrected after it
 */
public record RateCeiling(OptionalDouble requestsPerMinute, OptionalDouble tokensPerMinute) {

  public static final RateCeiling NONE =
      new RateCeiling(OptionalDouble.empty(), OptionalDouble.empty());

  public RateCeiling {
    requirePositive("requestsPerMinute", requestsPerMinute);
    requirePositive("tokensPerMinute", tokensPerMinute);
  }

  private static void requirePositive(String name, OptionalDouble rate) {
    double value = rate.orElse(1);
    if (!(value > 0 && Double.isFinite(value))) {
      throw new IllegalArgumentException("`%s` must be > 0, was %s".formatted(name, value));
    }
  }
}

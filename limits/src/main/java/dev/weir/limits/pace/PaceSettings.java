package dev.weir.limits.pace;

import java.util.OptionalDouble;

/**
 * What mode {@code pace} starts from.
 *
 * @param maxConnections never more in flight than this
 * @param requestsPerMinute the tier, if the user states it: the pace starts there and stays within
 * @param tokensPerMinute the tier in tokens, if the user states it
 * @param selfHosted whether the server is one's own and queues instead of refusing
 */
public record PaceSettings(
    int maxConnections,
    OptionalDouble requestsPerMinute,
    OptionalDouble tokensPerMinute,
    boolean selfHosted) {

  /** Enough that it never binds before a limit of the provider does. */
  private static final int DEFAULT_MAX_CONNECTIONS = 2_000;

  public PaceSettings {
    if (maxConnections < 1) {
      throw new IllegalArgumentException("`maxConnections` must be >= 1, was " + maxConnections);
    }
    requirePositive("requestsPerMinute", requestsPerMinute);
    requirePositive("tokensPerMinute", tokensPerMinute);
  }

  public static PaceSettings defaults() {
    return new PaceSettings(
        DEFAULT_MAX_CONNECTIONS, OptionalDouble.empty(), OptionalDouble.empty(), false);
  }

  private static void requirePositive(String name, OptionalDouble value) {
    if (value.isPresent() && !(value.getAsDouble() > 0 && value.getAsDouble() < 1e12)) {
      throw new IllegalArgumentException(
          "`%s` must be > 0, was %s".formatted(name, value.getAsDouble()));
    }
  }
}

package dev.weir.providers.http;

import java.time.Duration;

/**
 * How long and how much the transport bears with a server.
 *
 * @param connectTimeout until a connection is there
 * @param readTimeout between two bytes of a response
 * @param firstByteTimeout until the first byte of the response to a model's request
 * @param maxResponseBytes the largest body that is read
 */
public record TransportSettings(
    Duration connectTimeout,
    Duration readTimeout,
    Duration firstByteTimeout,
    long maxResponseBytes) {

  /** With the same timeout for the first byte as for the others. */
  public TransportSettings(Duration connectTimeout, Duration readTimeout, long maxResponseBytes) {
    this(connectTimeout, readTimeout, readTimeout, maxResponseBytes);
  }

  /**
   * How long an answer may take to begin is for the limiter to decide, which knows how long others
   * took: the transport only ends what nobody waits for any more.
   */
  public static TransportSettings defaults() {
    return new TransportSettings(
        Duration.ofSeconds(15), Duration.ofMinutes(10), Duration.ofDays(1), 64L << 20);
  }
}

package dev.weir.providers.http;

import java.time.Duration;

/**
 * How long and how much the transport bears with a server.
 *
 * @param connectTimeout until a connection is there
 * @param readTimeout between two bytes of a response, and until the first
 * @param maxResponseBytes the largest body that is read
 */
public record TransportSettings(
    Duration connectTimeout, Duration readTimeout, long maxResponseBytes) {

  /** A model may think for minutes before it says a word. */
  public static TransportSettings defaults() {
    return new TransportSettings(Duration.ofSeconds(15), Duration.ofMinutes(10), 64L << 20);
  }
}

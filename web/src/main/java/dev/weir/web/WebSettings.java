package dev.weir.web;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Locale;

/**
 * Where a server listens, and what it bears.
 *
 * @param host the address to listen on
 * @param port 0 for any that is free
 * @param maxBodyBytes a larger request is answered with 413
 * @param maxHeaderBytes all headers of a request together; more is answered with 431
 * @param maxConnections one more is closed at once
 * @param maxInFlight one more request is answered with 503
 * @param idle a connection on which nothing moves for so long is closed; longer than any answer
 *     takes, since nothing moves while a client waits for one
 */
public record WebSettings(
    String host,
    int port,
    int maxBodyBytes,
    int maxHeaderBytes,
    int maxConnections,
    int maxInFlight,
    Duration idle) {

  public static final String LOOPBACK = "127.0.0.1";

  public WebSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException("`host` must not be blank");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("`port` must be from 0 to 65535, was " + port);
    }
    requirePositive("maxBodyBytes", maxBodyBytes);
    requirePositive("maxHeaderBytes", maxHeaderBytes);
    requirePositive("maxConnections", maxConnections);
    requirePositive("maxInFlight", maxInFlight);
    if (idle.toSeconds() < 1) {
      throw new IllegalArgumentException("`idle` must be >= 1 s, was " + idle);
    }
  }

  /** For this machine only: 16 MiB a body, 32 KiB of headers, 16,384 connections, 30 min idle. */
  public static WebSettings loopback(int port) {
    return new WebSettings(
        LOOPBACK, port, 16 << 20, 32 << 10, 16_384, 16_384, Duration.ofMinutes(30));
  }

  public WebSettings withHost(String other) {
    return new WebSettings(
        other, port, maxBodyBytes, maxHeaderBytes, maxConnections, maxInFlight, idle);
  }

  public WebSettings withMaxBodyBytes(int bytes) {
    return new WebSettings(host, port, bytes, maxHeaderBytes, maxConnections, maxInFlight, idle);
  }

  public WebSettings withMaxConnections(int connections) {
    return new WebSettings(
        host, port, maxBodyBytes, maxHeaderBytes, connections, maxInFlight, idle);
  }

  public WebSettings withMaxInFlight(int requests) {
    return new WebSettings(
        host, port, maxBodyBytes, maxHeaderBytes, maxConnections, requests, idle);
  }

  public WebSettings withIdle(Duration newIdle) {
    return new WebSettings(
        host, port, maxBodyBytes, maxHeaderBytes, maxConnections, maxInFlight, newIdle);
  }

  /** Whether only programs on this machine can connect. */
  public boolean isLoopback() {
    return isLoopback(host);
  }

  /** Whether a name or an address, without asking anybody, is this machine's own. */
  static boolean isLoopback(String host) {
    String name = host.toLowerCase(Locale.ROOT).replaceAll("^\\[|\\]$", "");
    return name.equals("localhost") || name.endsWith(".localhost") || isLoopbackAddress(name);
  }

  private static boolean isLoopbackAddress(String name) {
    try {
      return InetAddress.ofLiteral(name).isLoopbackAddress();
    } catch (IllegalArgumentException notAnAddress) {
      return false;
    }
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("`%s` must be >= 1, was %d".formatted(name, value));
    }
  }
}

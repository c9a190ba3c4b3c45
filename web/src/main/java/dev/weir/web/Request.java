package dev.weir.web;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request that has arrived completely.
 *
 * <p>Immutable, but for the body, which nobody should change.
 */
public final class Request {

  private final String method;
  private final String path;
  private final Map<String, String> headers;
  private final byte[] body;

  Request(String method, String path, Map<String, String> headers, byte[] body) {
    this.method = method;
    this.path = path;
    this.headers = Map.copyOf(headers);
    this.body = body;
  }

  public String method() {
    return method;
  }

  /** Without the query. */
  public String path() {
    return path;
  }

  /** The first value of a header, whose name is in any case. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }

  public byte[] body() {
    return body;
  }

  /** The body as UTF-8. */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return method + " " + path;
  }
}

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
  private final String query;
  private final Map<String, String> headers;
  private final byte[] body;

  Request(String method, String path, String query, Map<String, String> headers, byte[] body) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = Map.copyOf(headers);
    this.body = body;
  }

  public String method() {
    return method;
  }

  /** Without the query, and as it was sent: percent signs are not decoded. */
  public String path() {
    return path;
  }

  /** What follows the question mark, as it was sent; empty if there is none. */
  public String query() {
    return query;
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

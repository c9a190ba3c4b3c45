package dev.weir.providers.openai;

import dev.weir.model.Secret;
import dev.weir.providers.http.HttpCall;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where an account is served.
 *
 * @param base the address that paths are added to
 * @param headers of every call, the credential among them
 */
record Endpoint(String base, Map<String, String> headers) {

  Endpoint {
    headers = Map.copyOf(headers);
  }

  /** With the credential where most servers expect it. */
  static Endpoint bearer(String base, Secret secret) {
    return new Endpoint(
        base, secret.isEmpty() ? Map.of() : Map.of("Authorization", "Bearer " + secret.reveal()));
  }

  /** One more header, unless it is empty. */
  Endpoint with(String header, String value) {
    if (value.isBlank()) {
      return this;
    }
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Endpoint(base, more);
  }

  /** One of its paths. */
  Destination at(String path) {
    return new Destination(
        URI.create(base + path),
        with("Accept", "application/json").headers,
        with("Accept", "text/event-stream").headers);
  }

  /**
   * Where calls go: read and put together once, as calls are many.
   *
   * @param headers of a call that is answered at once
   * @param streamHeaders of one that is answered piece by piece
   */
  record Destination(URI uri, Map<String, String> headers, Map<String, String> streamHeaders) {

    HttpCall call(byte[] body, boolean stream) {
      return new HttpCall(uri, stream ? streamHeaders : headers, body);
    }

    /** Headers hold the credential. */
    @Override
    public String toString() {
      return uri.toString();
    }
  }

  /** Headers hold the credential. */
  @Override
  public String toString() {
    return base;
  }
}

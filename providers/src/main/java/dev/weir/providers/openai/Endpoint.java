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

  HttpCall call(String path, byte[] body, boolean stream) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Accept", stream ? "text/event-stream" : "application/json");
    return new HttpCall(URI.create(base + path), all, body);
  }

  /** Headers hold the credential. */
  @Override
  public String toString() {
    return base;
  }
}

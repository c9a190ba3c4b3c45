package dev.weir.providers.openai;

import dev.weir.model.Secret;
import dev.weir.providers.http.HttpCall;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where an account is served.
 *
 * @param base the address that paths are added to
 * @param headers of every call, the credential among them
 */
record Endpoint(String base, Map<String, String> headers) {

  private static final List<String> PATHS = List.of("/chat/completions", "/responses");

  /** {@code https://example.com/v1}, {@code https://example.com/openai/v1beta/compatible}. */
  private static final Pattern VERSION = Pattern.compile("/v\\d[^/]*(/|$)");

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

  /**
   * How to fix the address, if its form explains that the server has no such path.
   *
   * @return a clause that completes an error message
   */
  Optional<String> remedy() {
    for (String path : PATHS) {
      if (base.endsWith(path)) {
        return Optional.of(
            "the base URL must not include %s; set it to %s"
                .formatted(path, base.substring(0, base.length() - path.length())));
      }
    }
    boolean isKnown = Preset.ALL.stream().anyMatch(preset -> preset.usual().equals(base));
    return isKnown || VERSION.matcher(base).find()
        ? Optional.empty()
        : Optional.of(
            "the base URL %s has no /v1 at its end, which most servers need; set it to %s/v1"
                .formatted(base, base));
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

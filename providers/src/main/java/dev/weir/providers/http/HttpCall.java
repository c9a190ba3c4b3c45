package dev.weir.providers.http;

import dev.weir.model.Secret;
import java.net.URI;
import java.util.Map;

/**
 * A call that is ready to go.
 *
 * @param method POST, with a body; or GET, without
 * @param headers all of them, the credential among them; a body is JSON unless they say otherwise
 */
@SuppressWarnings("ArrayRecordComponent") // bodies are large, and never compared
public record HttpCall(String method, URI uri, Map<String, String> headers, byte[] body) {

  public HttpCall {
    headers = Map.copyOf(headers);
  }

  /** A POST. */
  public HttpCall(URI uri, Map<String, String> headers, byte[] body) {
    this("POST", uri, headers, body);
  }

  /** Headers hold the credential. */
  @Override
  public String toString() {
    return "%s %s %s".formatted(method, uri, Secret.REDACTED);
  }
}

package dev.weir.providers.http;

import dev.weir.model.Secret;
import java.net.URI;
import java.util.Map;

/**
 * A POST that is ready to go.
 *
 * @param headers all of them, the credential among them
 */
@SuppressWarnings("ArrayRecordComponent") // bodies are large, and never compared
public record HttpCall(URI uri, Map<String, String> headers, byte[] body) {

  public HttpCall {
    headers = Map.copyOf(headers);
  }

  /** Headers hold the credential. */
  @Override
  public String toString() {
    return "POST %s %s".formatted(uri, Secret.REDACTED);
  }
}

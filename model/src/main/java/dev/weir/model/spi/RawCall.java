package dev.weir.model.spi;

import java.util.Map;

/**
 * A body to be passed on as it is. The adapter adds address and credential.
 *
 * @param headers what to send beside those of the adapter, which win
 */
@SuppressWarnings("ArrayRecordComponent") // bodies are large, and never compared
public record RawCall(Map<String, String> headers, byte[] body) {

  public RawCall {
    headers = Map.copyOf(headers);
  }
}

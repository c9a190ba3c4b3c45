package dev.weir.model;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The exchange that a response comes from.
 *
 * @param model who was asked
 * @param status the HTTP status, if there was one
 * @param statusText the words beside it; empty if none
 * @param requestId the provider's id of the exchange, to complain with
 * @param bytesSent of the body
 * @param bytesReceived of the body
 * @param raw the bodies as they were sent, without headers and so without credentials
 * @param fromCache whether the answer was kept from an earlier exchange: it is not paid for again
 */
public record Origin(
    ModelName model,
    OptionalInt status,
    String statusText,
    Optional<String> requestId,
    long bytesSent,
    long bytesReceived,
    Optional<Raw> raw,
    boolean fromCache) {

  /** An exchange that was made just now. */
  public Origin(
      ModelName model,
      OptionalInt status,
      String statusText,
      Optional<String> requestId,
      long bytesSent,
      long bytesReceived,
      Optional<Raw> raw) {
    this(model, status, statusText, requestId, bytesSent, bytesReceived, raw, false);
  }

  /** An exchange that was not made over HTTP. */
  public static Origin of(ModelName model) {
    return new Origin(model, OptionalInt.empty(), "", Optional.empty(), 0, 0, Optional.empty());
  }

  /** The same exchange, with the id that its body tells, if no header did. */
  public Origin identified(String id) {
    return new Origin(
        model,
        status,
        statusText,
        requestId.or(() -> Optional.of(id)),
        bytesSent,
        bytesReceived,
        raw,
        fromCache);
  }

  /** The same exchange, to be paid for. */
  Origin asMade() {
    return new Origin(model, status, statusText, requestId, bytesSent, bytesReceived, raw, false);
  }

  /** For people: {@code openai/gpt-4o, status 429, request req_1}. */
  @Override
  public String toString() {
    var text = new StringBuilder(model.toString());
    status.ifPresent(code -> text.append(", status ").append(code));
    requestId.ifPresent(id -> text.append(", request ").append(id));
    if (fromCache) {
      text.append(", from the cache");
    }
    return text.toString();
  }

  /** Bodies of an exchange. */
  public record Raw(String request, String response) {}
}

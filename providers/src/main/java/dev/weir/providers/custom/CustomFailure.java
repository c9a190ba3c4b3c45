package dev.weir.providers.custom;

import dev.weir.limits.header.BodyHints;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What an error of a program or a server means: a rate limit if it says so in words, else what its
 * status means; without a status, a fault that may not happen again.
 */
final class CustomFailure {

  private CustomFailure() {}

  static Response.Failure of(ErrorReply reply) {
    ErrorReply whole = withHandedBack(reply);
    Optional<String> said = message(reply.json());
    BodyHints hints = BodyHints.NONE.withMessage(said.orElse(reply.text()));
    if (RateLimitWords.in(words(reply))) {
      return new Response.RateLimited(whole.message(said), whole.facts(hints), whole.origin());
    }
    return whole.status() >= 300
        ? whole.byStatus(said, hints)
        : new Response.Transient(whole.message(said), whole.origin());
  }

  /** Headers that are handed back beside the error: {@code metadata: {headers: {…}}}. */
  static Map<String, List<String>> headers(Json json) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    Json handed = json.at("metadata", "headers");
    for (String name : handed.names()) {
      List<String> values = new ArrayList<>();
      handed.scalar(name).ifPresent(values::add);
      handed.list(name).forEach(value -> value.scalar().ifPresent(values::add));
      headers.put(name.toLowerCase(Locale.ROOT), values);
    }
    return headers;
  }

  /** The status that an error says it has; 0 if it does not. */
  static int status(Json json) {
    long status = json.whole("error", "status").orElse(0);
    return status >= 100 && status <= 599 ? (int) status : 0;
  }

  private static ErrorReply withHandedBack(ErrorReply reply) {
    Map<String, List<String>> headers = new LinkedHashMap<>(reply.headers());
    headers.putAll(headers(reply.json()));
    return new ErrorReply(
        reply.status(),
        reply.statusText(),
        headers,
        reply.text(),
        reply.json(),
        reply.now(),
        reply.origin());
  }

  private static Optional<String> message(Json json) {
    return json.text("error", "message")
        .or(() -> json.text("error"))
        .or(() -> json.text("message"))
        .or(() -> json.text("detail"));
  }

  /** The error alone: names of headers beside it speak of rate limits all the time. */
  private static String words(ErrorReply reply) {
    Json error = reply.json().at("error");
    return error.isPresent() ? error.toString() : message(reply.json()).orElse(reply.text());
  }
}

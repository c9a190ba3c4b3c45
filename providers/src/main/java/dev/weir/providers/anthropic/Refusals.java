package dev.weir.providers.anthropic;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What Anthropic means by a response that is not an answer. */
final class Refusals {

  /** Status 400, although no other request of the account would be answered either. */
  private static final List<String> NOTHING_LEFT_TO_SPEND =
      List.of("credit balance is too low", "spend limit", "api usage limits");

  /** Our bodies are complete when they leave: what arrives cut off was cut on the way. */
  private static final List<String> CUT_ON_THE_WAY =
      List.of("unexpected end of data", "unexpected end of json", "eof while parsing");

  /** What no second attempt will change, also where it comes as a fault of the server. */
  private static final Set<String> FINAL =
      Set.of(
          "authentication_error",
          "billing_error",
          "invalid_request_error",
          "not_found_error",
          "permission_error",
          "request_too_large");

  private Refusals() {}

  static Response.Failure of(ErrorReply reply) {
    Json error = reply.json().at("error");
    String type = error.text("type").orElse("");
    Optional<String> said = error.text("message");
    BodyHints hints = said.map(BodyHints.NONE::withMessage).orElse(BodyHints.NONE);
    String message = reply.message(said);
    String words = said.orElse("").toLowerCase(Locale.ROOT);

    int status = reply.status() >= 500 && FINAL.contains(type) ? status(type) : reply.status();
    if (isSpent(status, error, words)) {
      return new Response.QuotaExhausted(message, Outcome.Reach.ACCOUNT, reply.origin());
    }
    if (words.contains("blocked by content filtering policy")) {
      return new Response.RefusedByPolicy(message, reply.origin());
    }
    if (type.equals("overloaded_error")) {
      return new Response.Overloaded(message, reply.facts(hints), reply.origin());
    }
    if (type.equals("rate_limit_error")) {
      return new Response.RateLimited(message, reply.facts(hints), reply.origin());
    }
    boolean cut = status == 400 && CUT_ON_THE_WAY.stream().anyMatch(words::contains);
    if (cut || status == 409) {
      return new Response.Transient(message, reply.origin());
    }
    return reply.asStatus(status, said, hints);
  }

  /** An error inside a response that began as an answer. */
  static Response.Failure inside(Json body, ErrorReply reply) {
    int status = status(body.text("error", "type").orElse(""));
    return of(
        new ErrorReply(
            status, "", reply.headers(), body.toString(), body, reply.now(), reply.origin()));
  }

  private static boolean isSpent(int status, Json error, String words) {
    return switch (status) {
      case 400 -> NOTHING_LEFT_TO_SPEND.stream().anyMatch(words::contains);
      case 429 ->
          error.text("details", "error_code").orElse("").equals("enforced_spend_limit_reached");
      default -> false;
    };
  }

  /** The status that goes with a type of error. */
  private static int status(String type) {
    return switch (type) {
      case "invalid_request_error" -> 400;
      case "authentication_error" -> 401;
      case "billing_error" -> 402;
      case "permission_error" -> 403;
      case "not_found_error" -> 404;
      case "conflict_error" -> 409;
      case "request_too_large" -> 413;
      case "rate_limit_error" -> 429;
      case "timeout_error" -> 504;
      case "overloaded_error" -> 529;
      default -> 500;
    };
  }
}

package dev.weir.providers.http;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A response that is not an answer, or the error inside one.
 *
 * @param status of the response; that of a stream's error event where it tells one
 * @param headers by name in lower case
 * @param text the body, cut if it is long
 * @param json the body, absent if it is not JSON
 * @param now our wall clock, for moments that the server names
 */
public record ErrorReply(
    int status,
    String statusText,
    Map<String, List<String>> headers,
    String text,
    Json json,
    Instant now,
    Origin origin) {

  private static final int LONGEST_MESSAGE = 500;
  private static final int LONGEST_REASON = 80;

  /** The same response with another body: the error that was found inside it. */
  public ErrorReply with(int newStatus, Json error) {
    // The words belong to the status they came with.
    String words = newStatus == status ? statusText : "";
    return new ErrorReply(newStatus, words, headers, error.toString(), error, now, origin);
  }

  /** What the response says about limits. */
  public ResponseFacts facts(BodyHints hints) {
    return ResponseFactsParser.parse(headers, hints, now);
  }

  /** One line for people: status, and what the provider said. */
  public String message(Optional<String> said) {
    String rest = PageText.line(said.orElse(text), LONGEST_MESSAGE);
    String reason = PageText.line(statusText, LONGEST_REASON);
    String start = status > 0 ? status + (reason.isEmpty() ? "" : " " + reason) : "";
    return rest.isEmpty() ? start : start.isEmpty() ? rest : start + ": " + rest;
  }

  /** Whether the body says so, in any case. */
  public boolean says(String words) {
    return text.toLowerCase(Locale.ROOT).contains(words.toLowerCase(Locale.ROOT));
  }

  /**
   * What the status alone means; for what an API has no words of its own for.
   *
   * @param said the provider's message, if it was found in the body
   * @param hints what the body says about limits
   */
  public Response.Failure byStatus(Optional<String> said, BodyHints hints) {
    return asStatus(status, said, hints);
  }

  /**
   * As {@link #byStatus}, for a body that tells a better status than the response has.
   *
   * @param meant what the status should have been
   */
  public Response.Failure asStatus(int meant, Optional<String> said, BodyHints hints) {
    String message = message(said);
    return switch (meant) {
      case 401 -> new Response.Authentication(message, Outcome.Reach.ACCOUNT, origin);
      case 402 -> new Response.QuotaExhausted(message, Outcome.Reach.ACCOUNT, origin);
      case 403 -> new Response.Authentication(message, Outcome.Reach.MODEL, origin);
      case 404 -> new Response.InvalidRequest(message, Outcome.Reach.MODEL, origin);
      case 429 -> new Response.RateLimited(message, facts(hints), origin);
      case 529 -> new Response.Overloaded(message, facts(hints), origin);
      case 503 -> new Response.Overloaded(message, facts(hints), origin);
      case 408, 500, 502, 504, 524 -> new Response.Transient(message, origin);
      // The server will not learn it, and the network wants somebody to log in first.
      case 501, 505 -> new Response.InvalidRequest(message, Outcome.Reach.REQUEST, origin);
      case 511 -> new Response.Authentication(message, Outcome.Reach.ACCOUNT, origin);
      default ->
          meant >= 500
              ? new Response.Transient(message, origin)
              : new Response.InvalidRequest(message, Outcome.Reach.REQUEST, origin);
    };
  }
}

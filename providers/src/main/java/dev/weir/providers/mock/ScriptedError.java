package dev.weir.providers.mock;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * A failure that a mock model was told to have.
 *
 * @param retryAfter how long the model asks to wait
 * @param status as if it had come over HTTP
 */
record ScriptedError(Kind kind, String message, Optional<Duration> retryAfter, OptionalInt status) {

  /** The failures of {@link Response}, as they are written in a file. */
  enum Kind {
    RATE_LIMITED,
    OVERLOADED,
    TRANSIENT,
    INVALID_REQUEST,
    REFUSED_BY_POLICY,
    AUTHENTICATION,
    QUOTA_EXHAUSTED,
    UNREADABLE_REPLY;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static List<String> words() {
      return Stream.of(values()).map(Kind::word).toList();
    }

    static Optional<Kind> of(String word) {
      return Stream.of(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
  }

  ResponseFacts facts() {
    return new ResponseFacts(List.of(), retryAfter, Optional.empty());
  }

  Response.Failure failure(Origin exchange) {
    Origin origin =
        new Origin(exchange.model(), status, "", exchange.requestId(), 0, 0, exchange.raw());
    return switch (kind) {
      case RATE_LIMITED -> new Response.RateLimited(message, facts(), origin);
      case OVERLOADED -> new Response.Overloaded(message, facts(), origin);
      case TRANSIENT -> new Response.Transient(message, origin);
      case INVALID_REQUEST -> new Response.InvalidRequest(message, Outcome.Reach.REQUEST, origin);
      case REFUSED_BY_POLICY -> new Response.RefusedByPolicy(message, origin);
      case AUTHENTICATION -> new Response.Authentication(message, Outcome.Reach.ACCOUNT, origin);
      case QUOTA_EXHAUSTED -> new Response.QuotaExhausted(message, Outcome.Reach.ACCOUNT, origin);
      case UNREADABLE_REPLY -> new Response.UnreadableReply(message, origin);
    };
  }
}

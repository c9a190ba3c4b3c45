package dev.weir.providers.bedrock;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What Bedrock means by a response that is not an answer: its name says more than its status. */
final class Refusals {

  /** What is said of a model that does not exist, or is not to be had this way. */
  private static final List<String> NO_SUCH_MODEL =
      List.of("model identifier is invalid", "on-demand throughput");

  private Refusals() {}

  static Response.Failure of(ErrorReply reply) {
    Optional<String> said = reply.json().text("message").or(() -> reply.json().text("Message"));
    String words = said.orElse("").toLowerCase(Locale.ROOT);
    String message = reply.message(said);
    BodyHints hints = said.map(BodyHints.NONE::withMessage).orElse(BodyHints.NONE);
    return switch (name(reply)) {
      case "ThrottlingException",
          "Throttling",
          "TooManyRequestsException",
          "RequestLimitExceeded",
          "ProvisionedThroughputExceededException" ->
          throttled(reply, words, message, hints);
      // A model that is still being loaded lacks capacity; our rate has nothing to do with it.
      case "ModelNotReadyException", "ServiceUnavailableException", "ServiceUnavailable" ->
          new Response.Overloaded(message, reply.facts(hints), reply.origin());
      case "InternalServerException", "InternalFailure", "ModelTimeoutException" ->
          new Response.Transient(message, reply.origin());
      case "ModelErrorException" -> ofTheModel(reply, message);
      case "AccessDeniedException", "AccessDenied" ->
          new Response.Authentication(
              message,
              words.contains("api key") || words.contains("security token")
                  ? Outcome.Reach.ACCOUNT
                  : Outcome.Reach.MODEL,
              reply.origin());
      case "UnrecognizedClientException",
          "ExpiredTokenException",
          "ExpiredToken",
          "IncompleteSignature",
          "IncompleteSignatureException",
          "InvalidSignatureException",
          "InvalidClientTokenId",
          "MissingAuthenticationToken",
          "MissingAuthenticationTokenException" ->
          new Response.Authentication(message, Outcome.Reach.ACCOUNT, reply.origin());
      case "ServiceQuotaExceededException", "ServiceQuotaExceeded" ->
          new Response.QuotaExhausted(message, Outcome.Reach.MODEL, reply.origin());
      case "ValidationException", "ValidationError" ->
          new Response.InvalidRequest(
              message,
              NO_SUCH_MODEL.stream().anyMatch(words::contains)
                  ? Outcome.Reach.MODEL
                  : Outcome.Reach.REQUEST,
              reply.origin());
      case "ResourceNotFoundException" ->
          new Response.InvalidRequest(message, Outcome.Reach.MODEL, reply.origin());
      default ->
          reply.status() == 429
              ? throttled(reply, words, message, hints)
              : reply.byStatus(said, hints);
    };
  }

  private static Response.Failure throttled(
      ErrorReply reply, String words, String message, BodyHints hints) {
    if (words.contains("per day")) {
      return new Response.QuotaExhausted(message, Outcome.Reach.MODEL, reply.origin());
    }
    BodyHints told = hints;
    if (words.contains("too many tokens")) {
      told = hints.withErrorType(Dimension.TOKENS.word());
    } else if (words.contains("too many requests")) {
      told = hints.withErrorType(Dimension.REQUESTS.word());
    }
    return new Response.RateLimited(message, reply.facts(told), reply.origin());
  }

  /** A fault behind Bedrock, whose own status tells whether the request is to blame. */
  private static Response.Failure ofTheModel(ErrorReply reply, String message) {
    long status = reply.json().whole("originalStatusCode").orElse(500);
    return status >= 400 && status < 500
        ? new Response.InvalidRequest(message, Outcome.Reach.REQUEST, reply.origin())
        : new Response.Transient(message, reply.origin());
  }

  /**
   * {@code ThrottlingException:http://…} in a header, {@code a.b#ThrottlingException} in a body.
   */
  private static String name(ErrorReply reply) {
    String full =
        reply.headers().getOrDefault("x-amzn-errortype", List.of()).stream()
            .findFirst()
            .or(() -> reply.json().text("__type"))
            .or(() -> reply.json().text("code"))
            .orElse("");
    String unqualified = full.substring(full.indexOf('#') + 1);
    int colon = unqualified.indexOf(':');
    return (colon < 0 ? unqualified : unqualified.substring(0, colon)).strip();
  }
}

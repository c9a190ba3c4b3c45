package dev.weir.providers.openai;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;

/** What an error comes to. */
enum Meaning {
  RATE_LIMITED,
  /** Too many requests in flight, however many a minute. */
  TOO_MANY_AT_ONCE,
  OVERLOADED,
  TRANSIENT,
  INVALID_REQUEST,
  /** There is no such model, or it cannot be served any more. */
  NO_MODEL,
  AGAINST_POLICY,
  NO_ACCESS,
  NO_ACCESS_TO_MODEL,
  ACCOUNT_SPENT,
  MODEL_SPENT;

  Response.Failure of(Refusal refusal) {
    String said = refusal.said();
    var origin = refusal.reply().origin();
    return switch (this) {
      case RATE_LIMITED -> new Response.RateLimited(said, refusal.facts(), origin);
      case TOO_MANY_AT_ONCE -> {
        BodyHints hints = refusal.hints().withErrorType(ResponseFacts.CONCURRENCY);
        yield new Response.RateLimited(said, refusal.reply().facts(hints), origin);
      }
      case OVERLOADED -> new Response.Overloaded(said, refusal.facts(), origin);
      case TRANSIENT -> new Response.Transient(said, origin);
      case INVALID_REQUEST -> new Response.InvalidRequest(said, Outcome.Reach.REQUEST, origin);
      case NO_MODEL -> new Response.InvalidRequest(said, Outcome.Reach.MODEL, origin);
      case AGAINST_POLICY -> new Response.RefusedByPolicy(said, origin);
      case NO_ACCESS -> new Response.Authentication(said, Outcome.Reach.ACCOUNT, origin);
      case NO_ACCESS_TO_MODEL -> new Response.Authentication(said, Outcome.Reach.MODEL, origin);
      case ACCOUNT_SPENT -> new Response.QuotaExhausted(said, Outcome.Reach.ACCOUNT, origin);
      case MODEL_SPENT -> new Response.QuotaExhausted(said, Outcome.Reach.MODEL, origin);
    };
  }
}

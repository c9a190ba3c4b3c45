package dev.weir.providers.openai;

import static dev.weir.providers.openai.Rule.code;
import static dev.weir.providers.openai.Rule.says;
import static dev.weir.providers.openai.Rule.serverFault;
import static dev.weir.providers.openai.Rule.status;

import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the errors of a server mean: the first rule that applies decides, and if none does, the
 * status.
 */
final class Refusals {

  /** What OpenAI documents, and those who follow it. */
  static final Refusals COMMON =
      new Refusals(
          List.of(
              // Money first: it is told with 429 beside limits that come back in a second.
              new Rule(
                  code(
                      "insufficient_quota",
                      "credit_balance_exhausted",
                      "organization_usage_limit_exceeded",
                      "organization_spend_limit_exceeded",
                      "project_spend_limit_exceeded",
                      "billing_hard_limit_reached",
                      "billing_not_active"),
                  Meaning.ACCOUNT_SPENT),
              new Rule(
                  status(400, 413, 429).and(Refusal::isLargerThanLimit), Meaning.INVALID_REQUEST),
              new Rule(status(429).and(Refusal::isOfLongPeriod), Meaning.MODEL_SPENT),
              new Rule(
                  code(
                          "content_policy_violation",
                          "image_content_policy_violation",
                          "content_filter",
                          "responsibleaipolicyviolation",
                          "moderation_blocked",
                          "invalid_prompt")
                      .or(status(400, 403).and(says("violates usage guidelines"))),
                  Meaning.AGAINST_POLICY),
              new Rule(
                  code(
                      "context_length_exceeded",
                      "exceed_context_size_error",
                      "string_above_max_length"),
                  Meaning.INVALID_REQUEST),
              new Rule(
                  code(
                      "unsupported_country_region_territory",
                      "account_deactivated",
                      "organization_deactivated"),
                  Meaning.NO_ACCESS),
              new Rule(
                  status(400, 404)
                      .and(code("model_not_found", "invalid_model", "model_decommissioned")),
                  Meaning.NO_MODEL),
              // Something that the request refers to, not the model, is gone.
              new Rule(status(404).and(says("item with id")), Meaning.INVALID_REQUEST),
              // A fault of the server in which the body says that it is ours.
              new Rule(
                  serverFault().and(code("authentication_error", "invalid_api_key")),
                  Meaning.NO_ACCESS),
              new Rule(serverFault().and(code("model_not_found")), Meaning.NO_MODEL),
              new Rule(
                  status(501).or(serverFault().and(code("invalid_request_error"))),
                  Meaning.INVALID_REQUEST),
              // Faults of the server that are limits.
              new Rule(
                  serverFault()
                      .and(
                          code(
                                  "slow_down",
                                  "rate_limit_exceeded",
                                  "rate_limit_error",
                                  "rate_limited")
                              .or(says("too many requests", "rate limit"))),
                  Meaning.RATE_LIMITED),
              // Text Generation Inference counts what is in flight.
              new Rule(status(429).and(code("overloaded")), Meaning.TOO_MANY_AT_ONCE),
              // Limits that are a lack of room: the flexible tier of OpenAI, for example.
              new Rule(
                  code(
                      "server_is_overloaded",
                      "overloaded_error",
                      "engine_overloaded",
                      "engine_overloaded_error",
                      "resource_unavailable"),
                  Meaning.OVERLOADED),
              new Rule(status(429).and(says("at capacity", "high demand")), Meaning.OVERLOADED),
              new Rule(status(409, 499), Meaning.TRANSIENT)));

  /** A server of one's own: it may be broken for good. */
  static final Refusals SELF_HOSTED =
      COMMON.after(
          new Rule(
              serverFault().and(says("out of memory", "outofmemory")), Meaning.INVALID_REQUEST),
          new Rule(
              serverFault()
                  .and(
                      says(
                          "cuda error",
                          "enginedeaderror",
                          "enginecore encountered",
                          "engine is dead",
                          "background loop has errored",
                          "requires more system memory")),
              Meaning.NO_MODEL),
          // Ollama said so with 500 before it said so with 503.
          new Rule(serverFault().and(says("server busy")), Meaning.OVERLOADED));

  private final List<Rule> rules;

  private Refusals(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** These rules, after some that go first. */
  Refusals after(Rule... first) {
    return new Refusals(Stream.concat(Stream.of(first), rules.stream()).toList());
  }

  Response.Failure classify(ErrorReply reply) {
    return meaning(Refusal.of(reply));
  }

  /** An error that was found inside an answer. */
  Response.Failure inside(ErrorReply reply, Json body) {
    return meaning(Refusal.inside(reply, body));
  }

  private Response.Failure meaning(Refusal refusal) {
    for (Rule rule : rules) {
      if (rule.when().test(refusal)) {
        return rule.meaning().of(refusal);
      }
    }
    return refusal.byStatus();
  }
}

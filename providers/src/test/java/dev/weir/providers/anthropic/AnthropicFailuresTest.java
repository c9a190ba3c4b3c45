package dev.weir.providers.anthropic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.providers.replay.Opened;
import dev.weir.providers.replay.ScriptedServer;
import dev.weir.providers.replay.ScriptedServer.Answer;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Anthropic's failures mean. Shapes and types: platform.claude.com/docs/en/api/errors; limits:
 * platform.claude.com/docs/en/api/rate-limits. Others say where they were seen.
 */
class AnthropicFailuresTest {

  private static final HttpAdapter MODEL = model(URI.create("http://127.0.0.1:1"));

  record Row(int status, String type, String message, String meaning) {

    String body() {
      return """
      {"type": "error", "error": {"type": "%s", "message": "%s"}, "request_id": "req_011"}
      """
          .formatted(type, message);
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row(400, "invalid_request_error", "max_tokens: Field required", "invalid REQUEST"),
        // Seen in anthropics/claude-code issues: no credit is a 400.
        new Row(
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans &"
                + " Billing to upgrade or purchase credits.",
            "spent ACCOUNT"),
        // Worded from memory, not traced to a source: the spend limit that a customer set.
        new Row(
            400,
            "invalid_request_error",
            "You have reached your specified API usage limits. You will regain access on"
                + " 2026-12-01 at 00:00 UTC.",
            "spent ACCOUNT"),
        // Worded from memory, not traced to a source: a body that was cut by something in between.
        new Row(
            400,
            "invalid_request_error",
            "The request body is not valid JSON: unexpected end of data: line 1 column 8193",
            "transient"),
        new Row(
            400,
            "invalid_request_error",
            "Output blocked by content filtering policy",
            "refused by policy"),
        new Row(401, "authentication_error", "invalid x-api-key", "authentication ACCOUNT"),
        new Row(402, "billing_error", "There is an issue with your billing.", "spent ACCOUNT"),
        new Row(403, "permission_error", "Not allowed to use this.", "authentication MODEL"),
        new Row(404, "not_found_error", "model: claude-nothing", "invalid MODEL"),
        new Row(409, "conflict_error", "Try again.", "transient"),
        new Row(413, "request_too_large", "Request exceeds the maximum size", "invalid REQUEST"),
        new Row(429, "rate_limit_error", "Number of requests has exceeded", "rate limited"),
        // An acceleration limit: usage rose too fast.
        new Row(
            429,
            "rate_limit_error",
            "This request would exceed your organization's maximum usage increase rate",
            "rate limited"),
        new Row(500, "api_error", "Internal server error", "transient"),
        new Row(500, "rate_limit_error", "Too fast", "rate limited"),
        // Constructed: a fault of the server in which the body says that it is ours.
        new Row(500, "authentication_error", "invalid x-api-key", "authentication ACCOUNT"),
        new Row(500, "invalid_request_error", "max_tokens: Field required", "invalid REQUEST"),
        new Row(502, "invalid_request_error", "Your credit balance is too low", "spent ACCOUNT"),
        new Row(500, "not_found_error", "model: claude-nothing", "invalid MODEL"),
        new Row(503, "permission_error", "Not allowed to use this.", "authentication MODEL"),
        new Row(500, "billing_error", "There is an issue with your billing.", "spent ACCOUNT"),
        new Row(502, "api_error", "Bad gateway", "transient"),
        new Row(503, "overloaded_error", "Overloaded", "overloaded"),
        new Row(504, "timeout_error", "Request timed out", "transient"),
        new Row(529, "overloaded_error", "Overloaded", "overloaded"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void meanWhatTheySay(Row row) {
    assertThat(meaning(Opened.classified(MODEL, row.status(), Map.of(), row.body())))
        .isEqualTo(row.meaning());
  }

  /** An error event inside a stream that began well, observed in anthropic-sdk-python#688. */
  @ParameterizedTest
  @MethodSource("rows")
  void meanTheSameInsideAStream(Row row) throws Exception {
    try (var server =
        ScriptedServer.of(
            Answer.events(
                """
                event: message_start
                data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":3}}}

                event: ping
                data: {"type": "ping"}

                event: error
                data: %s
                """
                    .formatted(row.body().strip())))) {
      Response response = model(server.address()).exchange(dev.weir.model.Request.of("Hi"));

      assertThat(meaning(response)).isEqualTo(row.meaning());
      assertThat(response.origin().status()).hasValue(200);
    }
  }

  @Test
  void knowsALimitOnSpendingThatCallsItselfARateLimit() {
    // Documented: no retry-after, and waiting does not help.
    String body =
        """
        {"type": "error", "error": {"type": "rate_limit_error", "message": "Spend limit reached",
         "details": {"error_code": "enforced_spend_limit_reached"}}}
        """;

    assertThat(meaning(Opened.classified(MODEL, 429, Map.of(), body))).isEqualTo("spent ACCOUNT");
  }

  @Test
  void readsWhatARefusalSaysAboutLimits() {
    Response.Failure failure =
        Opened.classified(
            MODEL,
            429,
            Map.of(
                "retry-after", "12",
                "date", "Sun, 15 Nov 2026 10:00:00 GMT",
                "anthropic-ratelimit-input-tokens-limit", "50000",
                "anthropic-ratelimit-input-tokens-remaining", "0",
                "anthropic-ratelimit-input-tokens-reset", "2026-11-15T10:01:00Z"),
            """
            {"type": "error", "error": {"type": "rate_limit_error", "message":
             "This request would exceed the rate limit for your organization of 50,000 input tokens per minute."}}
            """);

    assertThat(failure)
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            limited -> {
              assertThat(limited.facts().serverWait()).contains(Duration.ofSeconds(12));
              assertThat(limited.facts().limitKind()).contains(Dimension.INPUT_TOKENS.word());
              assertThat(limited.facts().quotas().getFirst().limit()).hasValue(50_000);
            });
  }

  @Test
  void showsNoCredentialThatAnErrorRepeats() {
    Response.Failure failure =
        Opened.classified(
            MODEL,
            401,
            Map.of(),
            "{\"error\": {\"type\": \"authentication_error\", \"message\": \"bad"
                + " sk-ant-secret\"}}");

    assertThat(failure.toString()).contains("bad [redacted]").doesNotContain("sk-ant-secret");
  }

  @Test
  void takesAPageForWhatItsStatusSays() {
    assertThat(meaning(Opened.classified(MODEL, 502, Map.of(), "<html>Bad Gateway</html>")))
        .isEqualTo("transient");
  }

  private static HttpAdapter model(URI address) {
    return Opened.model(
        "anthropic/claude-opus-4-5",
        Map.of(),
        Map.of("ANTHROPIC_API_KEY", "sk-ant-secret"),
        address);
  }

  private static String meaning(Response response) {
    return switch (response) {
      case Response.Reply _ -> "answer";
      case Response.RateLimited _ -> "rate limited";
      case Response.Overloaded _ -> "overloaded";
      case Response.Transient _ -> "transient";
      case Response.InvalidRequest(_, Outcome.Reach reach, _) -> "invalid " + reach;
      case Response.RefusedByPolicy _ -> "refused by policy";
      case Response.Authentication(_, Outcome.Reach reach, _) -> "authentication " + reach;
      case Response.QuotaExhausted(_, Outcome.Reach reach, _) -> "spent " + reach;
      case Response.UnreadableReply _ -> "unreadable";
      case Response.Cancelled _ -> "cancelled";
    };
  }
}

package dev.weir.providers.google;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Request;
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
 * What Google's failures mean. Statuses: ai.google.dev/gemini-api/docs/troubleshooting; shapes of
 * the details: cloud.google.com/apis/design/errors. Refusals say where they were seen.
 */
class GoogleFailuresTest {

  private static final HttpAdapter MODEL =
      Opened.model(
          "google/gemini-2.5-flash",
          Map.of(),
          Map.of("GEMINI_API_KEY", "AIza-secret"),
          URI.create("http://127.0.0.1:1"));

  private static final String MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
  private static final String DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
  private static final String TOKENS = "GenerateContentInputTokensPerModelPerMinute-FreeTier";

  record Row(int status, String body, String meaning) {}

  static Stream<Row> rows() {
    return Stream.of(
        // RooCodeInc/Roo-Code#3883: input tokens of a minute.
        new Row(429, refusal(violation(TOKENS, "250000"), "26s"), "rate limited"),
        // diegosouzapw/OmniRoute#9504: a day is over, although a short delay is named.
        new Row(429, refusal(violation(DAY, "20"), "36s"), "spent MODEL"),
        // googleapis/python-genai#2044: a minute and a day together.
        new Row(
            429,
            refusal(violation(DAY, "50") + "," + violation(MINUTE, "5"), "47s"),
            "rate limited"),
        // A limit of nothing: the model is not in this tier.
        new Row(429, refusal(violation(MINUTE, "0"), "45s"), "spent MODEL"),
        // continuedev/continue#9570: the same, told in words only.
        new Row(
            429,
            error(
                429,
                "RESOURCE_EXHAUSTED",
                "You exceeded your current quota. * Quota exceeded for metric:"
                    + " generativelanguage.googleapis.com/generate_content_free_tier_requests,"
                    + " limit: 0, model: gemini-3-pro. Please retry in 45.578569677s."),
            "spent MODEL"),
        new Row(
            429,
            error(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: x, limit: 0.5, model: y"),
            "rate limited"),
        // google-gemini/gemini-cli#2020, and Vertex AI's shared capacity: no hint at all.
        new Row(
            429,
            error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
            "rate limited"),
        new Row(
            429,
            error(429, "RESOURCE_EXHAUSTED", "Resource exhausted, please try again later."),
            "rate limited"),
        // The streaming method wraps errors in a list (google-gemini/gemini-cli#5377).
        new Row(429, "[" + refusal(violation(DAY, "20"), "36s") + "]", "spent MODEL"),
        new Row(503, error(503, "UNAVAILABLE", "The model is overloaded."), "overloaded"),
        new Row(503, error(503, "RESOURCE_EXHAUSTED", "Resource exhausted"), "rate limited"),
        new Row(500, error(500, "INTERNAL", "An internal error has occurred."), "transient"),
        new Row(504, error(504, "DEADLINE_EXCEEDED", "Deadline expired."), "transient"),
        new Row(499, error(499, "CANCELLED", "The operation was cancelled."), "transient"),
        new Row(
            400,
            """
            {"error": {"code": 400, "status": "INVALID_ARGUMENT",
             "message": "API key not valid. Please pass a valid API key.", "details": [
               {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
                "domain": "googleapis.com"}]}}
            """,
            "authentication ACCOUNT"),
        new Row(
            400,
            error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
            "authentication ACCOUNT"),
        new Row(
            400,
            error(400, "FAILED_PRECONDITION", "The file is not in an ACTIVE state."),
            "invalid REQUEST"),
        new Row(400, error(400, "INVALID_ARGUMENT", "Unknown name \\\"foo\\\""), "invalid REQUEST"),
        new Row(401, error(401, "UNAUTHENTICATED", "Expected OAuth 2"), "authentication ACCOUNT"),
        new Row(403, error(403, "PERMISSION_DENIED", "No permission"), "authentication MODEL"),
        new Row(404, error(404, "NOT_FOUND", "models/x is not found"), "invalid MODEL"),
        // Constructed: a fault of the server in which the body says that it is ours.
        new Row(500, error(500, "UNAUTHENTICATED", "Who?"), "authentication ACCOUNT"),
        new Row(503, error(503, "PERMISSION_DENIED", "No"), "authentication MODEL"),
        new Row(500, error(500, "INVALID_ARGUMENT", "Unknown name"), "invalid REQUEST"),
        new Row(500, error(500, "INVALID_ARGUMENT", "API key not valid"), "authentication ACCOUNT"),
        new Row(502, error(502, "NOT_FOUND", "models/x is not found"), "invalid MODEL"),
        // Constructed, not traced to a source: a request that may use nothing but
        // bought throughput, of which none is left.
        new Row(
            429,
            error(
                429,
                "RESOURCE_EXHAUSTED",
                "Too many requests. Exceeded the Provisioned Throughput."),
            "spent MODEL"),
        new Row(502, "<html>Bad Gateway</html>", "transient"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void meanWhatTheySay(Row row) {
    assertThat(meaning(Opened.classified(MODEL, row.status(), Map.of(), row.body())))
        .isEqualTo(row.meaning());
  }

  @Test
  void readsWhatARefusalSaysAboutLimits() {
    String body =
        refusal(violation(DAY, "50") + "," + violation(TOKENS, "250000"), "45.837906927s");

    assertThat(Opened.classified(MODEL, 429, Map.of(), body))
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            limited -> {
              assertThat(limited.facts().serverWait())
                  .contains(Duration.ofSeconds(45, 837_906_927));
              // It is the minute that is waited for, not the day.
              assertThat(limited.facts().limitKind()).contains(Dimension.INPUT_TOKENS.word());
              assertThat(limited.facts().quotas().getFirst().limit()).hasValue(250_000);
              assertThat(limited.facts().quotas().getFirst().window())
                  .contains(Duration.ofMinutes(1));
            });
  }

  @Test
  void meanTheSameInsideAnAnswer() throws Exception {
    String overloaded = error(503, "UNAVAILABLE", "The model is overloaded.").strip();
    try (var server =
        ScriptedServer.of(
            Answer.events("data: " + overloaded.replace("\n", "") + "\n\n"),
            Answer.json(200, overloaded))) {
      HttpAdapter model =
          Opened.model(
              "google/m", Map.of(), Map.of("GEMINI_API_KEY", "AIza-secret"), server.address());

      assertThat(meaning(model.exchange(Request.of("Hi"), new Opened.Pieces())))
          .isEqualTo("overloaded");
      assertThat(meaning(model.exchange(Request.of("Hi")))).isEqualTo("overloaded");
    }
  }

  @Test
  void showsNoCredentialThatAnErrorRepeats() {
    assertThat(
            Opened.classified(
                    MODEL, 403, Map.of(), error(403, "PERMISSION_DENIED", "AIza-secret leaked"))
                .toString())
        .contains("[redacted] leaked")
        .doesNotContain("AIza-secret");
  }

  private static String violation(String id, String value) {
    return """
    {"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
     "quotaId": "%s", "quotaDimensions": {"location": "global", "model": "gemini-2.5-flash"},
     "quotaValue": "%s"}
    """
        .formatted(id, value);
  }

  private static String refusal(String violations, String delay) {
    return """
    {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
     "message": "You exceeded your current quota, please check your plan and billing details.",
     "details": [
       {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [%s]},
       {"@type": "type.googleapis.com/google.rpc.Help", "links": []},
       {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "%s"}]}}
    """
        .formatted(violations, delay);
  }

  private static String error(int code, String status, String message) {
    return """
    {"error": {"code": %d, "message": "%s", "status": "%s"}}
    """
        .formatted(code, message, status);
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

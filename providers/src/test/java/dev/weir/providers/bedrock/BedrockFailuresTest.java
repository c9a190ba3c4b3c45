package dev.weir.providers.bedrock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.providers.replay.Opened;
import java.net.URI;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Bedrock's failures mean. Names and statuses: API_runtime_Converse.html#API_runtime_Converse_
 * Errors and troubleshooting-api-error-codes.html, both at docs.aws.amazon.com/bedrock/latest.
 * Messages that were seen say where.
 */
class BedrockFailuresTest {

  private static final HttpAdapter MODEL =
      Opened.model(
          "bedrock/amazon.nova-lite-v1:0",
          Map.of("region", "us-east-1"),
          Map.of("AWS_BEARER_TOKEN_BEDROCK", "bedrock-api-key-secret"),
          URI.create("http://127.0.0.1:1"));

  record Row(int status, String name, String message, String meaning) {}

  static Stream<Row> rows() {
    return Stream.of(
        // aws-samples/amazon-bedrock-client-for-mac#99
        new Row(
            429,
            "ThrottlingException",
            "Too many tokens, please wait before trying again.",
            "rate limited: tokens"),
        // repost.aws/knowledge-center/bedrock-throttling-error
        new Row(
            429,
            "ThrottlingException",
            "Too many requests, please wait before trying again.",
            "rate limited: requests"),
        // minorun365/agent-book#29: comes back tomorrow.
        new Row(
            429,
            "ThrottlingException",
            "Too many tokens per day, please wait before trying again.",
            "spent MODEL"),
        new Row(429, "", "Too many tokens per day, please wait.", "spent MODEL"),
        new Row(429, "", "Too many tokens, please wait.", "rate limited: tokens"),
        new Row(400, "ThrottlingException", "Rate exceeded", "rate limited: ?"),
        new Row(429, "TooManyRequestsException", "Slow down", "rate limited: ?"),
        new Row(503, "RequestLimitExceeded", "Slow down", "rate limited: ?"),
        new Row(400, "ProvisionedThroughputExceededException", "Too much", "rate limited: ?"),
        new Row(
            429, "ModelNotReadyException", "The model is not ready for inference.", "overloaded"),
        new Row(503, "ServiceUnavailableException", "Unable to process", "overloaded"),
        new Row(529, "", "Overloaded", "overloaded"),
        new Row(500, "InternalServerException", "Internal error", "transient"),
        new Row(408, "ModelTimeoutException", "Took too long", "transient"),
        new Row(424, "ModelErrorException", "The model failed", "transient"),
        new Row(
            403,
            "AccessDeniedException",
            "You don't have access to the model with the specified model ID.",
            "authentication MODEL"),
        new Row(
            403,
            "AccessDeniedException",
            "Authentication failed: Please make sure your API Key is valid.",
            "authentication ACCOUNT"),
        new Row(
            403,
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
            "authentication ACCOUNT"),
        new Row(
            403,
            "ExpiredTokenException",
            "The security token included in the request is expired",
            "authentication ACCOUNT"),
        new Row(403, "InvalidSignatureException", "Does not match", "authentication ACCOUNT"),
        new Row(400, "ValidationException", "temperature must be <= 1", "invalid REQUEST"),
        new Row(
            400,
            "ValidationException",
            "The provided model identifier is invalid.",
            "invalid MODEL"),
        // anthropics/claude-code#1466
        new Row(
            400,
            "ValidationException",
            "Invocation of model ID x with on-demand throughput isn't supported.",
            "invalid MODEL"),
        new Row(400, "ServiceQuotaExceededException", "Quota exceeded", "spent MODEL"),
        new Row(404, "ResourceNotFoundException", "Could not find it", "invalid MODEL"),
        new Row(404, "FTUFormNotFilled", "Fill out the form", "invalid MODEL"),
        new Row(502, "", "Bad gateway", "transient"));
  }

  @Test
  void showNeitherOfTwoCredentials() {
    HttpAdapter model =
        Opened.model(
            "bedrock/some.model",
            Map.of(),
            Map.of(
                "AWS_REGION", "us-east-1",
                "AWS_ACCESS_KEY_ID", "AKIA-of-nobody",
                "AWS_SECRET_ACCESS_KEY", "secret-of-nobody",
                "AWS_SESSION_TOKEN", "token-of-nobody"),
            URI.create("http://127.0.0.1:1"));
    assertThat(
            Opened.classified(
                    model,
                    403,
                    Map.of(),
                    "{\"message\": \"no: secret-of-nobody, token-of-nobody\"}")
                .message())
        .isEqualTo("403: no: [redacted], [redacted]");
  }

  /** As the runtime sends it: a name with the place of its definition. */
  @ParameterizedTest
  @MethodSource("rows")
  void areKnownByAHeader(Row row) {
    Map<String, String> headers =
        row.name().isEmpty()
            ? Map.of()
            : Map.of(
                "x-amzn-errortype",
                row.name() + ":http://internal.amazon.com/coral/com.amazon.bedrock/");

    assertThat(
            meaning(
                Opened.classified(
                    MODEL,
                    row.status(),
                    headers,
                    "{\"message\": \"%s\"}".formatted(row.message()))))
        .isEqualTo(row.meaning());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void areKnownByTheBody(Row row) {
    String body =
        "{\"__type\": \"com.amazon.coral.service#%s\", \"Message\": \"%s\"}"
            .formatted(row.name(), row.message());

    assertThat(meaning(Opened.classified(MODEL, row.status(), Map.of(), body)))
        .isEqualTo(row.meaning());
  }

  @ParameterizedTest
  @CsvSource({"400, invalid REQUEST", "500, transient"})
  void tellWhetherTheModelOrTheRequestFailed(int original, String meaning) {
    String body = "{\"message\": \"It failed\", \"originalStatusCode\": %d}".formatted(original);

    assertThat(
            meaning(
                Opened.classified(
                    MODEL, 424, Map.of("x-amzn-errortype", "ModelErrorException"), body)))
        .isEqualTo(meaning);
  }

  @Test
  void showNoCredential() {
    assertThat(
            Opened.classified(MODEL, 403, Map.of(), "{\"message\": \"bad bedrock-api-key-secret\"}")
                .toString())
        .contains("bad [redacted]")
        .doesNotContain("bedrock-api-key-secret");
  }

  private static String meaning(Response response) {
    return switch (response) {
      case Response.Reply _ -> "answer";
      case Response.RateLimited limited ->
          "rate limited: "
              + limited
                  .facts()
                  .limitKind()
                  .filter(
                      kind ->
                          kind.equals(Dimension.TOKENS.word())
                              || kind.equals(Dimension.REQUESTS.word()))
                  .orElse("?");
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

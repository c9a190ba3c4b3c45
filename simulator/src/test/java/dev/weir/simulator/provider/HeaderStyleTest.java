package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HeaderStyleTest {

  private static final Instant NOON = Instant.parse("2026-08-22T12:00:00Z");

  private static final QuotaHeaders QUOTA =
      new QuotaHeaders(
          0,
          Map.of(
              RefusalKind.REQUESTS, new QuotaHeader(600, 599, Duration.ofMillis(120)),
              RefusalKind.TOKENS, new QuotaHeader(30_000, 28_449, Duration.ofMillis(360_250))));

  private static final Response ANSWER = new Response.Answer(QUOTA, 7);

  private static final Response.Refusal REFUSAL =
      new Response.Refusal(
          Optional.of(RefusalKind.TOKENS), Optional.of(Duration.ofMillis(1_250)), QUOTA);

  @Test
  void openAiTellsLimitRemainingAndADuration() {
    assertThat(HeaderStyle.OPENAI.render(ANSWER, NOON))
        .containsExactly(
            entry("x-ratelimit-limit-requests", "600"),
            entry("x-ratelimit-remaining-requests", "599"),
            entry("x-ratelimit-reset-requests", "120ms"),
            entry("x-ratelimit-limit-tokens", "30000"),
            entry("x-ratelimit-remaining-tokens", "28449"),
            entry("x-ratelimit-reset-tokens", "6m0.25s"));
    assertThat(HeaderStyle.OPENAI.render(REFUSAL, NOON))
        .contains(entry("retry-after", "2"), entry("retry-after-ms", "1250"));
  }

  @Test
  void anthropicTellsATimeAndRoundsTokensToThousands() {
    assertThat(HeaderStyle.ANTHROPIC.render(REFUSAL, NOON))
        .containsExactly(
            entry("anthropic-ratelimit-requests-limit", "600"),
            entry("anthropic-ratelimit-requests-remaining", "599"),
            entry("anthropic-ratelimit-requests-reset", "2026-08-22T12:00:01Z"),
            entry("anthropic-ratelimit-tokens-limit", "30000"),
            entry("anthropic-ratelimit-tokens-remaining", "28000"),
            entry("anthropic-ratelimit-tokens-reset", "2026-08-22T12:06:01Z"),
            entry("retry-after", "2"));
  }

  @Test
  void anthropicTellsOfPromptsAndAnswersApart() {
    var quota = new QuotaHeader(8_000, 7_600, Duration.ofSeconds(3));
    var answer =
        new Response.Answer(new QuotaHeaders(0, Map.of(RefusalKind.OUTPUT_TOKENS, quota)), 0);
    assertThat(HeaderStyle.ANTHROPIC.render(answer, NOON))
        .containsExactly(
            entry("anthropic-ratelimit-output-tokens-limit", "8000"),
            entry("anthropic-ratelimit-output-tokens-remaining", "8000"),
            entry("anthropic-ratelimit-output-tokens-reset", "2026-08-22T12:00:03Z"));
  }

  @Test
  void azureTellsOnlyWhatRemains() {
    assertThat(HeaderStyle.AZURE.render(ANSWER, NOON))
        .containsExactly(
            entry("x-ratelimit-remaining-requests", "599"),
            entry("x-ratelimit-remaining-tokens", "28449"));
    assertThat(HeaderStyle.AZURE.render(REFUSAL, NOON))
        .containsKeys("retry-after", "retry-after-ms");
  }

  @Test
  void geminiTellsInTheBodyOfTheRefusal() {
    assertThat(HeaderStyle.GEMINI.render(REFUSAL, NOON)).isEmpty();
    assertThat(HeaderStyle.GEMINI.refusalBody(REFUSAL))
        .hasValueSatisfying(
            body ->
                assertThat(body)
                    .contains("\"quotaId\":\"GenerateContentInputTokensPerModelPerMinute\"")
                    .contains("\"retryDelay\":\"1.25s\"")
                    .endsWith("]}}"));
    var silent = new Response.Refusal(Optional.empty(), Optional.empty(), QuotaHeaders.NONE);
    assertThat(HeaderStyle.GEMINI.refusalBody(silent))
        .hasValueSatisfying(body -> assertThat(body).endsWith("\"details\":[]}}"));
    assertThat(HeaderStyle.OPENAI.refusalBody(REFUSAL)).isEmpty();
  }

  @Test
  void retryAfterOnlyAndNoneTellNoMore() {
    assertThat(HeaderStyle.RETRY_AFTER_ONLY.render(REFUSAL, NOON))
        .containsExactly(entry("retry-after", "2"));
    assertThat(HeaderStyle.NONE.render(REFUSAL, NOON)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aFailureTellsNothing(HeaderStyle style) {
    assertThat(style.render(new Response.Failure(503), NOON)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "8, 8ms",
    "1000, 1s",
    "1500, 1.5s",
    "60000, 1m0s",
    "179560, 2m59.56s",
    "3602000, 1h0m2s"
  })
  void durationsAreWrittenAsGoPrintsThem(long millis, String text) {
    var quota = new QuotaHeader(1, 0, Duration.ofMillis(millis));
    var answer = new Response.Answer(new QuotaHeaders(0, Map.of(RefusalKind.REQUESTS, quota)), 0);
    assertThat(HeaderStyle.OPENAI.render(answer, NOON))
        .containsEntry("x-ratelimit-reset-requests", text);
  }
}

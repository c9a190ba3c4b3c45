package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BodyHintsTest {

  @ParameterizedTest
  @CsvSource({
    "45.837906927s, PT45.837906927S",
    "47s, PT47S",
    "0s, PT0S",
    "20, PT20S",
    "20.5, PT20.5S",
  })
  void readsAStatedDelayToTheNanosecond(String delay, String expected) {
    assertThat(facts(BodyHints.NONE.withRetryDelay(delay))).isEqualTo("wait " + expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Please try again in 5.289s. Visit the page | PT5.289S",
        "Please try again in 456ms. | PT0.456S",
        "try again in 16m43.104s, or | PT16M43.104S",
        "PLEASE RETRY AFTER 6 SECONDS. | PT6S",
        "Please retry after 86400 seconds | PT24H",
        "Please retry in 45.837906927s. | PT45.837906927S",
        "Please wait 1 minute 30 seconds | PT1M30S",
        "You can retry after a while, or retry after 2 hours | PT2H",
      })
  void readsTheWaitInAMessage(String message, String expected) {
    assertThat(facts(BodyHints.NONE.withMessage(message))).isEqualTo("wait " + expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Please try again later",
        "try again in",
        "try again in 5",
        "try again in -5s",
        "try again in 40 days",
        "try again in 5 parsecs",
        "retry after 2026-10-22",
        "Too Many Requests",
      })
  void aMessageWithoutAWaitGivesNone(String message) {
    assertThat(Reading.of("", BodyHints.NONE.withMessage(message))).isEqualTo(ResponseFacts.NONE);
  }

  @Test
  void readsTheBucketInAMessage() {
    assertThat(
            message(
                "Rate limit reached for model `x` on tokens per minute (TPM): Limit 15000, Used"
                    + " 11972, Requested 4351. Please try again in 5.289s."))
        .isEqualTo(
            """
            TOKENS tokens-minute 3028/15000 window PT1M
            wait PT5.289S
            kind tokens\
            """);
    assertThat(message("Limit 15000, Used 11972, Requested 4351"))
        .isEqualTo("TOKENS tokens 3028/15000");
    assertThat(message("on requests per day (RPD): Limit 200, Used 200, Requested 1."))
        .isEqualTo("REQUESTS requests-day 0/200 window PT24H\nkind requests");
    assertThat(
            message(
                "Request too large for gpt-4o on tokens per min (TPM): Limit 30,000, Requested"
                    + " 36055."))
        .isEqualTo("TOKENS tokens-minute ?/30000 window PT1M\nkind tokens");
    assertThat(message("on tokens per min: Limit 100, Used 130, Requested 5"))
        .isEqualTo("TOKENS tokens-minute 0/100 window PT1M\nkind tokens");
    // Nothing says what is counted.
    assertThat(message("Limit 15, Used 15, Requested 1")).isEmpty();
  }

  @Test
  void aMessageDoesNotRepeatTheHeaders() {
    BodyHints hints =
        BodyHints.NONE.withMessage("on tokens per min (TPM): Limit 15000, Used 11972");
    assertThat(
            Reading.describe(
                Reading.of(
                    """
                    x-ratelimit-limit-tokens: 15000
                    x-ratelimit-remaining-tokens: 3028
                    x-ratelimit-reset-tokens: 47.888s
                    """,
                    hints)))
        .isEqualTo("TOKENS tokens 3028/15000 reset PT47.888S\nkind tokens");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Concurrency limit reached for requests | concurrency",
        "Number of concurrent connections has exceeded your rate limit | concurrency",
        "rate limit of 30,000 input tokens per minute | input-tokens",
        "8,000 OUTPUT tokens per minute; reduce your concurrency | output-tokens",
        "exceeded token rate limit of your current tier | tokens",
        "exceeded call rate limit | requests",
        "Too many tokens, please wait before trying again. | tokens",
      })
  void theWordingTellsWhichLimitRefused(String message, String kind) {
    assertThat(Reading.of("", BodyHints.NONE.withMessage(message)).limitKind()).contains(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "tokens, tokens",
    "requests, requests",
    "dynamic_request_limited, requests",
    "dynamic_token_limited, tokens",
    "max_concurrency_reached, concurrency",
    "rate_limit_error, ",
    "invalid_request_error, ",
  })
  void theErrorTypeTellsWhichLimitRefused(String type, String kind) {
    assertThat(Reading.of("", BodyHints.NONE.withErrorType(type)).limitKind().orElse(null))
        .isEqualTo(kind);
  }

  @Test
  void readsGeminisViolations() {
    BodyHints hints =
        BodyHints.NONE
            .withViolation(violation("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "50"))
            .withViolation(
                violation("GenerateContentInputTokensPerModelPerMinute-FreeTier", "250000"))
            .withViolation(violation("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", ""))
            .withViolation(violation("SomethingElse", "5"))
            .withViolation(violation("RequestsPerMinute".repeat(100), "5"))
            .withRetryDelay("45.837906927s");
    assertThat(facts(hints))
        .isEqualTo(
            """
            REQUESTS GenerateRequestsPerDayPerProjectPerModel-FreeTier ?/50 window PT24H
            INPUT_TOKENS GenerateContentInputTokensPerModelPerMinute-FreeTier ?/250000 window PT1M
            REQUESTS GenerateRequestsPerMinutePerProjectPerModel-FreeTier ?/? window PT1M
            wait PT45.837906927S
            kind requests\
            """);
    // A model that is not in the tier: the one limit of 0 that means what it says.
    assertThat(facts(BodyHints.NONE.withViolation(violation("RequestsPerDay", "0"))))
        .isEqualTo("REQUESTS RequestsPerDay ?/0 window PT24H\nkind requests");
  }

  private static BodyHints.Violation violation(String quotaId, String quotaValue) {
    return new BodyHints.Violation(quotaId, quotaValue);
  }

  private static String message(String message) {
    return facts(BodyHints.NONE.withMessage(message));
  }

  private static String facts(BodyHints hints) {
    return Reading.describe(Reading.of("", hints));
  }
}

package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What providers send, mostly as observed; see the sources in the fact sheet. */
class ProviderHeadersTest {

  record Example(String provider, String headers, String facts) {
    @Override
    public String toString() {
      return provider;
    }
  }

  static Stream<Example> examples() {
    return Stream.of(
        new Example(
            "OpenAI, 3500 requests per minute",
            """
            x-ratelimit-limit-requests: 3500
            x-ratelimit-remaining-requests: 3499
            x-ratelimit-reset-requests: 17ms
            """,
            "REQUESTS requests 3499/3500 reset PT0.017S"),
        new Example(
            "OpenAI, requests and tokens",
            """
            x-ratelimit-limit-requests: 500
            x-ratelimit-limit-tokens: 30000
            x-ratelimit-remaining-requests: 499
            x-ratelimit-remaining-tokens: 29996
            x-ratelimit-reset-requests: 120ms
            x-ratelimit-reset-tokens: 8ms
            """,
            """
            REQUESTS requests 499/500 reset PT0.12S
            TOKENS tokens 29996/30000 reset PT0.008S\
            """),
        new Example(
            "a bucket of a day whose reset is a bare number of seconds",
            """
            x-ratelimit-limit-requests-day: 14400
            x-ratelimit-remaining-requests-day: 14000
            x-ratelimit-reset-requests-day: 33011.4
            """,
            "REQUESTS requests-day 14000/14400 reset PT9H10M11.4S window PT24H"),
        new Example(
            "OpenAI, project tokens",
            """
            x-ratelimit-limit-tokens: 150000
            x-ratelimit-remaining-tokens: 0
            x-ratelimit-reset-tokens: 6m0s
            x-ratelimit-limit-project-tokens: 60000
            x-ratelimit-remaining-project-tokens: 57000
            x-ratelimit-reset-project-tokens: 3s
            retry-after-ms: 456
            """,
            """
            TOKENS project-tokens 57000/60000 reset PT3S
            TOKENS tokens 0/150000 reset PT6M
            wait PT0.456S\
            """),
        new Example(
            "Anthropic",
            """
            anthropic-ratelimit-requests-limit: 50
            anthropic-ratelimit-requests-remaining: 49
            anthropic-ratelimit-requests-reset: 2026-10-21T07:28:01Z
            anthropic-ratelimit-tokens-limit: 50000
            anthropic-ratelimit-tokens-remaining: 45000
            anthropic-ratelimit-tokens-reset: 2026-10-21T07:28:06Z
            anthropic-ratelimit-input-tokens-limit: 40000
            anthropic-ratelimit-input-tokens-remaining: 35000
            anthropic-ratelimit-input-tokens-reset: 2026-10-21T09:28:07.5+02:00
            anthropic-ratelimit-output-tokens-limit: 8000
            anthropic-ratelimit-output-tokens-remaining: 8000
            anthropic-ratelimit-output-tokens-reset: 2026-10-21T07:28:00Z
            """,
            """
            REQUESTS requests 49/50 reset PT1S
            TOKENS tokens 45000/50000 reset PT6S by 1000
            INPUT_TOKENS input-tokens 35000/40000 reset PT7.5S by 1000
            OUTPUT_TOKENS output-tokens 8000/8000 reset PT0S by 1000\
            """),
        new Example(
            "Azure, remaining only",
            """
            x-ratelimit-remaining-requests: 79
            x-ratelimit-remaining-tokens: 61353
            """,
            """
            REQUESTS requests 79/?
            TOKENS tokens 61353/?\
            """),
        new Example(
            "Azure, an empty bucket, bare seconds and the wait of the free tier",
            """
            x-ratelimit-remaining-tokens: 0
            x-ratelimit-reset-tokens: 59
            retry-after: 86400
            """,
            """
            TOKENS tokens 0/? reset PT59S
            wait PT24H\
            """),
        new Example(
            "Azure, -1 and 0 for unknown",
            """
            x-ratelimit-limit-tokens: -1
            x-ratelimit-remaining-tokens: -1
            x-ratelimit-reset-tokens: 0
            x-ratelimit-limit-requests: 0
            x-ratelimit-remaining-requests: 0
            """,
            ""),
        new Example(
            "Groq",
            """
            retry-after: 2
            x-ratelimit-limit-requests: 14400
            x-ratelimit-limit-tokens: 18000
            x-ratelimit-remaining-requests: 14370
            x-ratelimit-remaining-tokens: 17997
            x-ratelimit-reset-requests: 2m59.56s
            x-ratelimit-reset-tokens: 7.66s
            """,
            """
            REQUESTS requests 14370/14400 reset PT2M59.56S
            TOKENS tokens 17997/18000 reset PT7.66S
            wait PT2S\
            """),
        new Example(
            "Mistral",
            """
            x-ratelimit-limit-req-minute: 60
            x-ratelimit-remaining-req-minute: 59
            x-ratelimit-limit-tokens-minute: 500000
            x-ratelimit-remaining-tokens-minute: 499950
            x-ratelimit-limit-tokens-month: 1000000000
            x-ratelimit-tokens-query-cost: 50
            """,
            """
            REQUESTS req-minute 59/60 window PT1M
            TOKENS tokens-minute 499950/500000 window PT1M
            TOKENS tokens-month ?/1000000000 window PT720H\
            """),
        new Example(
            "Together, whose reset is a suggested wait",
            """
            x-ratelimit-limit: 10
            x-ratelimit-remaining: 9
            x-ratelimit-reset: 0.5
            x-tokenlimit-limit: 3000
            x-tokenlimit-remaining: 2990
            x-ratelimit-limit-dynamic: 20
            x-ratelimit-remaining-dynamic: 19
            x-tokenlimit-limit-dynamic: 6000
            x-tokenlimit-remaining-dynamic: 5990
            """,
            """
            REQUESTS requests 9/10
            TOKENS tokens 2990/3000
            REQUESTS requests-dynamic 19/20
            TOKENS tokens-dynamic 5990/6000
            wait PT0.5S\
            """),
        new Example(
            "OpenRouter, Unix milliseconds",
            """
            X-RateLimit-Limit: 20
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 1792567740000
            """,
            "REQUESTS requests 0/20 reset PT1M"),
        new Example(
            "gateways that name only the period, prompt and generated tokens",
            """
            X-RateLimit-Limit-Minute: 10
            X-RateLimit-Remaining-Minute: 9
            x-ratelimit-limit-tokens-prompt: 60000
            x-ratelimit-limit-tokens-generated: 6000
            x-ratelimit-limit-images: 5
            """,
            """
            REQUESTS minute 9/10 window PT1M
            OUTPUT_TOKENS tokens-generated ?/6000
            INPUT_TOKENS tokens-prompt ?/60000\
            """));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void readsWhatProvidersSend(Example example) {
    assertThat(Reading.describe(Reading.of(example.headers()))).isEqualTo(example.facts());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void namesAreReadInAnyCase(Example example) {
    var upper = new StringBuilder();
    Reading.headers(example.headers())
        .forEach(
            (name, values) ->
                upper
                    .append(name.toUpperCase(Locale.ROOT))
                    .append(':')
                    .append(values.getFirst())
                    .append('\n'));
    assertThat(Reading.of(upper.toString())).isEqualTo(Reading.of(example.headers()));
  }

  @Test
  void oneResponseTellsTheRefillRate() {
    assertThat(refillPerSecond("3500", "3499", "17ms")).isCloseTo(3500 / 60.0, within(1.0));
    assertThat(refillPerSecond("500", "499", "120ms")).isCloseTo(500 / 60.0, within(0.01));
    assertThat(refillPerSecond("30000", "29996", "8ms")).isCloseTo(30000 / 60.0, within(0.01));
    // Groq's requests are per day, though nothing but the rate says so.
    assertThat(refillPerSecond("14400", "14370", "2m59.56s"))
        .isCloseTo(14400 / 86400.0, within(0.001));
  }

  @Test
  void aMomentIsMeasuredOnTheServersClock() {
    String reset =
        """
        anthropic-ratelimit-requests-limit: 50
        anthropic-ratelimit-requests-remaining: 40
        anthropic-ratelimit-requests-reset: 2026-10-21T08:00:12Z
        """;
    String hint = "retry-after: Wed, 21 Oct 2026 08:00:05 GMT\n";
    String date = "date: Wed, 21 Oct 2026 08:00:00 GMT\n";
    // The date is cut off at the second: half of one has passed on average.
    assertThat(Reading.describe(Reading.of(reset + hint + date)))
        .isEqualTo("REQUESTS requests 40/50 reset PT11.5S\nwait PT5S");
    assertThat(Reading.describe(Reading.of(reset + hint)))
        .isEqualTo("REQUESTS requests 40/50 reset PT32M12S\nwait PT32M5S");
    assertThat(Reading.describe(Reading.of(reset + hint + "date: yesterday\n")))
        .isEqualTo("REQUESTS requests 40/50 reset PT32M12S\nwait PT32M5S");
  }

  private static double refillPerSecond(String limit, String remaining, String reset) {
    QuotaSnapshot quota =
        Reading.of(
                "x-ratelimit-limit-requests:%s\nx-ratelimit-remaining-requests:%s\nx-ratelimit-reset-requests:%s"
                    .formatted(limit, remaining, reset))
            .quotas()
            .getFirst();
    double used = quota.limit().orElseThrow() - quota.remaining().orElseThrow();
    return used * Duration.ofSeconds(1).toNanos() / quota.reset().orElseThrow().after().toNanos();
  }
}

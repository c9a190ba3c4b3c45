package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AbsurdValuesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "-0.5",
        "NaN",
        "Infinity",
        "-Infinity",
        "null",
        "unlimited",
        "1e9",
        "0x1F",
        "1_000",
        "5 0",
        "9223372036854775807",
        "99999999999999999999999999999999999999",
        "."
      })
  void anAbsurdCountIsAbsent(String count) {
    assertThat(
            facts("x-ratelimit-limit-tokens: %s\nx-ratelimit-remaining-tokens: 7".formatted(count)))
        .isEqualTo("TOKENS tokens 7/?");
    assertThat(
            facts("x-ratelimit-limit-tokens: 9\nx-ratelimit-remaining-tokens: %s".formatted(count)))
        .isEqualTo("TOKENS tokens ?/9");
    assertThat(facts("ratelimit-limit: %s\nratelimit-remaining: 7".formatted(count)))
        .isEqualTo("REQUESTS requests 7/?");
    assertThat(facts("RateLimit-Policy: \"a\";q=9;w=60\nRateLimit: \"a\";r=%s".formatted(count)))
        .isEqualTo("REQUESTS a ?/9 window PT1M");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "5ms3h",
        "1s1s",
        "-5s",
        "NaN",
        "Infinity",
        "31d",
        "721h",
        "2592001",
        "999999999",
        "1600000000", // 2020
        "1600000000000",
        "1792567710000000", // microseconds
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "+999999999-12-31T23:59:59Z",
        "2026-10-21T07:28:61Z",
        "2026-10-21",
        "6m0",
        "m6s",
        "1s1",
        "1..5s",
        "s"
      })
  void anAbsurdResetIsAbsent(String reset) {
    assertThat(facts("x-ratelimit-limit-tokens: 9\nx-ratelimit-reset-tokens: " + reset))
        .isEqualTo("TOKENS tokens ?/9");
    assertThat(
            facts(
                "anthropic-ratelimit-requests-limit: 9\nanthropic-ratelimit-requests-reset: "
                    + reset))
        .isEqualTo("REQUESTS requests ?/9");
  }

  @ParameterizedTest
  @CsvSource({
    "10, 11, 10/10", // rounded up, or the limit was just lowered
    "0, 7, 7/?", // unknown limit
    "'', 0, 0/?", // empty, and no limit stated
    "10, 0, 0/10",
  })
  void countsThatContradictEachOtherAreReconciled(String limit, String remaining, String counts) {
    assertThat(
            facts(
                "x-ratelimit-limit-tokens: %s\nx-ratelimit-remaining-tokens: %s"
                    .formatted(limit, remaining)))
        .isEqualTo("TOKENS tokens " + counts);
  }

  @Test
  void aFillerZeroBesideAnUnknownLimitIsAbsent() {
    assertThat(facts("x-ratelimit-limit-tokens: -1\nx-ratelimit-remaining-tokens: 0")).isEmpty();
    assertThat(facts("ratelimit-limit: 0\nratelimit-remaining: 0")).isEmpty();
  }

  @Test
  void overlongHeadersAreAbsent() {
    assertThat(facts("retry-after: " + "0".repeat(5000) + "1")).isEmpty();
    assertThat(facts("x-ratelimit-limit-" + "tokens-".repeat(1000) + "day: 5")).isEmpty();
    assertThat(facts("ratelimit-limit: 10" + ", 1;w=1".repeat(1000))).isEmpty();
  }

  @Test
  void parsingHostileInputTakesNoTimeWorthNaming() {
    // Each would take minutes if the work were quadratic in the input.
    String megabytes = "retry in limit \"".repeat(500_000);
    BodyHints hints =
        BodyHints.NONE
            .withMessage(megabytes)
            .withRetryDelay(megabytes)
            .withErrorType(megabytes)
            .withViolation(new BodyHints.Violation(megabytes, megabytes));
    assertThat(Reading.of("RateLimit: " + megabytes + "\nretry-after: " + megabytes, hints))
        .isEqualTo(ResponseFacts.NONE);
  }

  @Test
  void nullsFromACarelessClientAreSkipped() {
    Map<String, List<String>> headers = new HashMap<>();
    headers.put(null, List.of("HTTP/1.1 200 OK"));
    headers.put("retry-after", Arrays.asList(null, "3"));
    assertThat(Reading.describe(ResponseFactsParser.parse(headers, BodyHints.NONE, Reading.NOW)))
        .isEqualTo("wait PT3S");
  }

  @Test
  void anAbsurdClockOfOursHarmsNothing() {
    Map<String, List<String>> headers =
        Reading.headers("retry-after: 2026-10-21T07:28:30Z\nratelimit-limit: 5");
    for (Instant now : List.of(Instant.MIN, Instant.EPOCH, Instant.MAX)) {
      assertThat(Reading.describe(ResponseFactsParser.parse(headers, BodyHints.NONE, now)))
          .isEqualTo("REQUESTS requests ?/5");
    }
  }

  @Test
  void impossibleSnapshotsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> snapshot(5, 6, Duration.ZERO))
        .withMessage("`remaining` must be <= `limit` (5.0), was 6.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> snapshot(Double.NaN, 0, Duration.ZERO))
        .withMessage("`limit` must be >= 0, was NaN");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> snapshot(5, -1, Duration.ZERO))
        .withMessage("`remaining` must be >= 0, was -1.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> snapshot(5, 5, Duration.ofDays(31)))
        .withMessage("`reset` must be between 0 and PT720H, was PT744H");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new ResponseFacts(List.of(), Optional.of(Duration.ofSeconds(-1)), Optional.empty()))
        .withMessage("`serverWait` must be between 0 and PT720H, was PT-1S");
  }

  private static QuotaSnapshot snapshot(double limit, double remaining, Duration reset) {
    return new QuotaSnapshot(
        Dimension.REQUESTS,
        "requests",
        OptionalDouble.of(limit),
        OptionalDouble.of(remaining),
        Optional.of(Reset.in(reset)),
        Optional.empty(),
        1,
        "test");
  }

  private static String facts(String headers) {
    return Reading.describe(Reading.of(headers));
  }
}

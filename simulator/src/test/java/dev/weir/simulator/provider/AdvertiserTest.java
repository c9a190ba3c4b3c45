package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AdvertiserTest {

  private static final Instant START = Instant.parse("2026-01-05T10:20:30.350Z");
  private static final ProviderSettings SETTINGS =
      ProviderSettings.builder().requests(new Quota(20, 30)).build();

  /** 25 of 30 left at 20 a second: full in 250 ms. */
  private static final QuotaHeaders QUOTA =
      new QuotaHeaders(
          2_000_000_000L,
          Map.of(RefusalKind.REQUESTS, new QuotaHeader(30, 25, Duration.ofMillis(250))));

  private static Map<String, String> headers(Advertisement as, Response response) {
    return new Advertiser(as, SETTINGS, START, 1).headers(response, 10_000_000_000L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          OPENAI         | x-ratelimit-limit-requests         | 30
          OPENAI         | x-ratelimit-remaining-requests     | 25
          OPENAI         | x-ratelimit-reset-requests         | 250ms
          OPENAI_RATE    | x-ratelimit-limit-requests         | 1200
          OPENAI_RATE    | x-ratelimit-remaining-requests     | 25
          OPENAI_SECONDS | x-ratelimit-reset-requests         | 1s
          OPENAI_TWO     | x-ratelimit-limit-project-requests | 600
          ANTHROPIC      | anthropic-ratelimit-requests-limit | 30
          ANTHROPIC      | anthropic-ratelimit-requests-reset | 2026-01-05T10:20:32Z
          ANTHROPIC_RATE | anthropic-ratelimit-requests-limit | 1200
          AZURE_MILLIS   | x-ratelimit-reset-requests         | 250
          AZURE_SECONDS  | x-ratelimit-reset-requests         | 1
          IETF_RATE      | ratelimit-policy                   | "requests";q=1200;w=60
          IETF_RATE      | ratelimit                          | "requests";r=25;t=1
          EPOCH          | x-ratelimit-reset                  | 1767608433
          EPOCH_MILLIS   | x-ratelimit-reset                  | 1767608432600
          RESET          | x-ratelimit-reset-requests         | 250ms
          LYING          | x-ratelimit-remaining-requests     | 29
          """)
  void writesWhatTheNumbersMean(Advertisement as, String name, String value) {
    assertThat(headers(as, new Response.Answer(QUOTA, 100))).containsEntry(name, value);
  }

  @Test
  void saysWhenItSpokeAndNotWhenItLooked() {
    assertThat(headers(Advertisement.OPENAI, new Response.Answer(QUOTA, 100)))
        .containsEntry("date", "Mon, 05 Jan 2026 10:20:40 GMT");
  }

  @Test
  void waitsAreWholeSecondsOrDates() {
    var refusal =
        new Response.Refusal(Optional.empty(), Optional.of(Duration.ofMillis(1_200)), QUOTA);
    assertThat(headers(Advertisement.RETRY_AFTER, refusal)).containsEntry("retry-after", "2");
    assertThat(headers(Advertisement.HTTP_DATE, refusal))
        .containsEntry("retry-after", "Mon, 05 Jan 2026 10:20:42 GMT");
    assertThat(headers(Advertisement.NONE, refusal)).containsOnlyKeys("date");
  }

  @Test
  void aProxyRepeatsOldValues() {
    var advertiser = new Advertiser(Advertisement.OPENAI_STALE, SETTINGS, START, 1);
    assertThat(remainingAt(advertiser, 1, 20)).isEqualTo("20");
    assertThat(remainingAt(advertiser, 5, 3)).isEqualTo("20");
    assertThat(remainingAt(advertiser, 7, 2)).isEqualTo("2");
  }

  private static String remainingAt(Advertiser advertiser, long second, long remaining) {
    var quota =
        new QuotaHeaders(
            second * 1_000_000_000L,
            Map.of(RefusalKind.REQUESTS, new QuotaHeader(30, remaining, Duration.ofSeconds(1))));
    return advertiser
        .headers(new Response.Answer(quota, 100), second * 1_000_000_000L)
        .getOrDefault("x-ratelimit-remaining-requests", "");
  }

  @ParameterizedTest
  @EnumSource(Advertisement.class)
  void isFoundByItsWord(Advertisement as) {
    assertThat(Advertisement.ofWord(as.word())).contains(as);
  }
}

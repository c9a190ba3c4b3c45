package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerWaitTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | PT0S",
        "20 | PT20S",
        "1.5 | PT1.5S",
        " 7  | PT7S",
        "6m0s | PT6M",
        "1h2m3s | PT1H2M3S",
        "17ms | PT0.017S",
        "250\u00b5s | PT0.00025S",
        "Wed, 21 Oct 2026 07:28:30 GMT | PT30S",
        "Wednesday, 21-Oct-26 07:28:30 GMT | PT30S",
        "Wed Oct 21 07:28:30 2026 | PT30S",
        "Sun Nov  1 07:28:00 2026 | PT264H",
        "wed, 21 oct 2026 07:28:30 gmt | PT30S",
        "Fri, 21 Oct 2026 07:28:30 GMT | PT30S", // it was a Wednesday
        "Wed, 21 Oct 2026 07:27:30 GMT | PT0S", // just passed
        "2026-10-21T07:28:30Z | PT30S",
      })
  void readsRetryAfterInEachForm(String text, Duration expected) {
    assertThat(Reading.of("Retry-After: " + text).serverWait()).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "+5",
        "NaN",
        "Infinity",
        "1e3",
        "0x10",
        "1.2.3",
        "soon",
        "5 parsecs",
        "2592001",
        "9999999999999999999999999999999999",
        "Wed, 21 Oct 2020 07:28:00 GMT",
        "Wed, 99 Oct 2026 07:28:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "\u0661\u0662",
      })
  void anAbsurdRetryAfterIsNone(String text) {
    assertThat(Reading.of("Retry-After: " + text).serverWait()).isEmpty();
  }

  @Test
  void theMorePreciseWinsAndAnUnusableOneGivesWay() {
    List<String> sources =
        List.of("retry-after-ms: 1000", "x-ms-retry-after-ms: 2000", "retry-after: 3");
    BodyHints hints =
        BodyHints.NONE.withRetryDelay("4.0s").withMessage("Please try again in 5 seconds.");
    String together = "x-ratelimit-reset: 6\nx-tokenlimit-limit: 1\n";

    List<String> present = new ArrayList<>(sources);
    for (int seconds = 1; seconds <= sources.size(); seconds++) {
      assertThat(wait(together + String.join("\n", present), hints)).contains(seconds(seconds));
      String name = present.getFirst().substring(0, present.getFirst().indexOf(':'));
      String unusable = together + String.join("\n", present).replaceFirst(": .*", ": -1");
      assertThat(wait(unusable, hints)).as(name).contains(seconds(seconds + 1));
      present.removeFirst();
    }
    assertThat(wait(together, hints)).contains(seconds(4));
    assertThat(wait(together, hints.withRetryDelay("now"))).contains(seconds(5));
    assertThat(wait(together, BodyHints.NONE.withMessage("later"))).contains(seconds(6));
  }

  @Test
  void theFirstOfRepeatedHeadersIsRead() {
    assertThat(Reading.of("retry-after:\nretry-after: 3\nretry-after: 9").serverWait())
        .contains(seconds(3));
    assertThat(
            Reading.describe(
                Reading.of(
                    """
                    x-ratelimit-limit-requests: 500
                    x-ratelimit-limit-requests: 100
                    """)))
        .isEqualTo("REQUESTS requests ?/500");
  }

  @Test
  void aResetIsNotAWait() {
    assertThat(
            Reading.of(
                    """
                    x-ratelimit-limit-requests: 500
                    x-ratelimit-remaining-requests: 0
                    x-ratelimit-reset-requests: 60s
                    ratelimit-reset: 60
                    """)
                .serverWait())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "ratelimit-reset: 60 | PT1M",
        "x-ratelimit-reset: 60 | PT1M",
        "X-Rate-Limit-Reset: 60 | PT1M",
        "x-ratelimit-reset: 1792567740 | PT1M",
        "ratelimit-remaining: 0; ratelimit-reset: 60 | PT1M",
        "ratelimit-remaining: 3; ratelimit-reset: 60 | -",
        "RateLimit: \"minute\";r=0;t=60 | PT1M",
        "RateLimit: \"minute\";r=5;t=60 | -",
        "RateLimit: \"minute\";r=0;t=60,\"hour\";r=0;t=900 | PT15M",
        "x-ratelimit-reset-requests: 60s | -",
        "anthropic-ratelimit-requests-reset: 2026-10-21T07:29:00Z | -",
        "x-ratelimit-reset: 6; x-tokenlimit-limit: 1 | -",
        "ratelimit-reset: soon | -",
        "ratelimit-reset: 9999999999999 | -",
      })
  void theEndOfAWindowIsTheNextBestWait(String headers, @Nullable Duration expected) {
    ResponseFacts facts = Reading.of(headers.replace("; ", "\n"));
    assertThat(facts.windowEnd()).isEqualTo(Optional.ofNullable(expected));
  }

  private static Optional<Duration> wait(String headers, BodyHints hints) {
    return Reading.of(headers, hints).serverWait();
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }
}

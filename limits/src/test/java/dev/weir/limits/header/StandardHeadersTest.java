package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The triple in its spellings, and the structured fields. */
class StandardHeadersTest {

  @ParameterizedTest
  @ValueSource(strings = {"ratelimit-", "RateLimit-", "x-ratelimit-", "X-Rate-Limit-"})
  void readsTheTripleInEachSpelling(String prefix) {
    assertThat(
            facts(
                """
                %1$slimit: 100
                %1$sremaining: 42
                %1$sreset: 30
                """
                    .formatted(prefix)))
        .isEqualTo("REQUESTS requests 42/100 reset PT30S");
  }

  @ParameterizedTest
  @CsvSource({
    "30, PT30S",
    "0, PT0S",
    "1.5, PT1.5S",
    "2592000, PT720H",
    "1792567710, PT30S",
    "1792567710.25, PT30.25S",
    "1792567710000, PT30S",
    "1792567650, PT0S", // half a minute ago: the window has begun anew
  })
  void tellsSpansAndMomentsByTheSizeOfTheNumber(String reset, String expected) {
    assertThat(facts("ratelimit-limit: 100\nratelimit-reset: " + reset))
        .isEqualTo("REQUESTS requests ?/100 reset " + expected);
  }

  @Test
  void twoSpellingsAreOneQuota() {
    assertThat(
            facts(
                """
                x-ratelimit-limit: 100
                x-ratelimit-remaining: 42
                ratelimit-limit: 100
                ratelimit-remaining: 42
                """))
        .isEqualTo("REQUESTS requests 42/100");
  }

  @Test
  void aLimitMayBeAListOfPolicies() {
    assertThat(
            facts(
                """
                x-ratelimit-limit: 1000, 1000;w=1, 60000;w=60
                x-ratelimit-remaining: 999
                x-ratelimit-reset: 1
                """))
        .isEqualTo(
            """
            REQUESTS requests 999/1000 reset PT1S window PT1S
            REQUESTS requests;w=60 ?/60000 window PT1M\
            """);
  }

  @Test
  void oldDraftsHaveThePolicyApart() {
    assertThat(
            facts(
                """
                RateLimit-Limit: 100
                RateLimit-Remaining: 99
                RateLimit-Reset: 50
                RateLimit-Policy: 100;w=60
                """))
        .isEqualTo("REQUESTS requests 99/100 reset PT50S window PT1M");
  }

  @Test
  void structuredFieldsAreTiedTogetherByName() {
    assertThat(
            facts(
                """
                RateLimit-Policy: "burst";q=10;w=1,"daily";q=1000;w=86400
                RateLimit: "burst";r=5;t=1
                """))
        .isEqualTo(
            """
            REQUESTS burst 5/10 reset PT1S window PT1S
            REQUESTS daily ?/1000 window PT24H\
            """);
  }

  @Test
  void structuredFieldsMayBeSpreadOverLinesAndOrderedAtWill() {
    assertThat(
            facts(
                """
                RateLimit: "daily" ; t=3600 ; r=7
                RateLimit: "burst";r=5;t=1;pk=:cGs=:
                RateLimit-Policy: "burst";w=1;q=10
                RateLimit-Policy: "daily";q=1000;w=86400
                """))
        .isEqualTo(
            """
            REQUESTS burst 5/10 reset PT1S window PT1S
            REQUESTS daily 7/1000 reset PT1H window PT24H\
            """);
  }

  @Test
  void theUnitOfAPolicyTellsWhatIsCounted() {
    assertThat(
            facts(
                """
                RateLimit-Policy: "a";q=1;qu="requests", "b";q=2;qu="tokens", "c";q=3;qu="content-bytes"
                RateLimit-Policy: "d";q=4;qu="concurrent-requests", "input-tokens";q=5, "per;user,";q=6
                RateLimit: "c";r=1
                """))
        .isEqualTo(
            """
            REQUESTS a ?/1
            TOKENS b ?/2
            INPUT_TOKENS input-tokens ?/5
            REQUESTS per;user, ?/6\
            """);
  }

  @Test
  void aMemberThatMakesNoSenseDoesNotTakeTheOthersWithIt() {
    assertThat(facts("RateLimit: ;;=, \"\";r=1, \"x\";r=-1, \"y\";r, \"z\";r=3;t=abc, \"open;r=1"))
        .isEqualTo("REQUESTS z 3/?");
  }

  @Test
  void listsAreReadOnlySoFar() {
    String many =
        IntStream.range(0, 300)
            .mapToObj(i -> "\"p" + i + "\";r=1")
            .collect(Collectors.joining(","));
    assertThat(Reading.of("RateLimit: " + many).quotas()).hasSize(32);
  }

  private static String facts(String headers) {
    return Reading.describe(Reading.of(headers));
  }
}

package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class HeaderQuotaTest {

  private final HeaderQuota quota = new HeaderQuota();

  private void read(double limit, double remaining, long resetMillis, Optional<Duration> window) {
    quota.read(
        new QuotaSnapshot(
            Dimension.REQUESTS,
            "requests",
            OptionalDouble.of(limit),
            OptionalDouble.of(remaining),
            Optional.of(Reset.in(Duration.ofMillis(resetMillis))),
            window,
            1,
            "test"),
        Duration.ZERO);
  }

  /** One request after the other says nothing of a rate: the limit may be what the bucket holds. */
  @Test
  void aBurstIsNotARatePerMinute() {
    for (int i = 0; i < 20; i++) {
      read(20, 19, 1_000, Optional.empty());
      assertThat(quota.perMinute()).isEmpty();
    }
  }

  @Test
  void aLargeBurstOfAFastRefillIsNotARatePerMinute() {
    for (int i = 0; i < 20; i++) {
      read(100, 99, 10, Optional.empty());
      assertThat(quota.perMinute()).isEmpty();
    }
  }

  /** As with OpenAI, whose buckets hold what they get in a minute. */
  @Test
  void aRequestThatComesBackWithinItsShareOfAMinuteConfirmsTheLimit() {
    read(500, 499, 120, Optional.empty());
    assertThat(quota.perMinute()).hasValue(500);
  }

  @Test
  void aWindowOfSecondsIsNotOneOfAMinute() {
    for (int second = 1; second < 10; second++) {
      read(50, 50 - 5.0 * second, (10 - second) * 1_000L + 300, Optional.empty());
    }
    assertThat(quota.perMinute()).isEmpty();
  }

  @Test
  void aBucketThatIsFullOnlyAfterMinutesHasNoLimitOfAMinute() {
    read(100, 40, 50_000, Optional.empty());
    read(100, 5, 95_000, Optional.empty());
    read(100, 60, 10_000, Optional.empty());
    assertThat(quota.perMinute()).isEmpty();
  }

  /** What is missing was so when the request was admitted; its reset counts from the response. */
  @Test
  void aMomentIsAsLateAsItsResponse() {
    for (int missing = 10; missing <= 20; missing++) {
      // Refilled at 60 per minute; the response leaves 4 s after it was admitted.
      quota.read(
          new QuotaSnapshot(
              Dimension.REQUESTS,
              "requests",
              OptionalDouble.of(20),
              OptionalDouble.of(20 - missing),
              Optional.of(
                  new Reset(
                      Duration.ofSeconds(missing - 4L),
                      Duration.ofMillis(1_500),
                      Reset.Base.RESPONSE)),
              Optional.empty(),
              1,
              "test"),
          Duration.ofSeconds(4));
    }
    assertThat(quota.perMinute().orElse(60)).isCloseTo(60.0, offset(10.0));
  }

  @Test
  void aBucketThatIsRefilledAllTheTimeTellsItsRate() {
    for (int missing = 1; missing <= 25; missing++) {
      read(30, 30 - missing, missing * 60L - 13, Optional.empty());
    }
    assertThat(quota.perMinute()).hasValueCloseTo(1_000.0, offset(30.0));
  }

  @Test
  void aWindowOfAMinuteIsNotTakenForARefill() {
    for (int second = 1; second < 60; second += 7) {
      read(500, 500 - 5.0 * second, (60 - second) * 1_000L, Optional.empty());
    }
    assertThat(quota.perMinute()).hasValue(500);
  }

  @Test
  void aWindowThatIsNamedCounts() {
    read(10, 3, 500, Optional.of(Duration.ofSeconds(1)));
    assertThat(quota.perMinute()).hasValue(600);
  }

  /** What is left is of a burst, smaller than the quota of the window. */
  @Test
  void aWindowThatIsNamedCountsWhereLessIsLeftThanIsMissing() {
    for (int used = 1; used <= 3; used++) {
      read(60, 20 - used, used * 1_000L, Optional.of(Duration.ofMinutes(1)));
      assertThat(quota.perMinute()).hasValue(60);
    }
  }

  @Test
  void aQuotaOfADayIsNotOneOfAMinute() {
    read(14_400, 14_398, 12_200, Optional.empty());
    read(14_400, 14_370, 180_100, Optional.empty());
    read(14_400, 14_300, 600_300, Optional.empty());
    assertThat(quota.perMinute()).hasValueCloseTo(10.0, offset(0.2));
  }

  @Test
  void aLimitThatIsPassedAllTheTimeIsNotOneOfAMinute() {
    read(30, 26, 200, Optional.empty());
    assertThat(quota.perMinute()).isEmpty();
  }

  @Test
  void wholeSecondsSayLittle() {
    read(50, 49, 2_000, Optional.empty());
    read(50, 45, 6_000, Optional.empty());
    assertThat(quota.perMinute()).hasValue(50);
  }

  @Test
  void nothingToldIsNothingKnown() {
    assertThat(quota.perMinute()).isEmpty();
  }
}

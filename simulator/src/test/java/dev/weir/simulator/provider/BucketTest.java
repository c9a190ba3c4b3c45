package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.provider.ProviderSettings.CalendarWindow;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketTest {

  private static final long SECOND = 1_000_000_000L;

  @Test
  void isFullAtTheStartAndRefilledUpToItsBurst() {
    Bucket bucket = new RefilledBucket(RefusalKind.REQUESTS, new Quota(2, 5), 0);
    assertThat(bucket.level()).isEqualTo(5);
    bucket.take(5);
    bucket.moveTo(SECOND);
    assertThat(bucket.level()).isCloseTo(2, within(1e-9));
    bucket.moveTo(100 * SECOND);
    assertThat(bucket.level()).isEqualTo(5);
  }

  @Test
  void knowsWhenItHoldsEnough() {
    Bucket bucket = new RefilledBucket(RefusalKind.TOKENS, new Quota(100, 1_000), 0);
    bucket.take(900);
    assertThat(bucket.nanosUntilHolds(tokens(100))).isZero();
    assertThat(bucket.nanosUntilHolds(tokens(300))).isCloseTo(2 * SECOND, within(10L));
    assertThat(bucket.nanosUntilHolds(tokens(1_001))).isEqualTo(Bucket.FAR_NANOS);
  }

  @Test
  void othersSlowItsRefillAndMayEmptyIt() {
    Bucket shared = new RefilledBucket(RefusalKind.REQUESTS, new Quota(10, 10), 6);
    shared.take(10);
    shared.moveTo(SECOND);
    assertThat(shared.level()).isCloseTo(4, within(1e-9));
    assertThat(shared.nanosUntilFull()).isCloseTo(0.6 * SECOND, within(1.0));

    Bucket overrun = new RefilledBucket(RefusalKind.REQUESTS, new Quota(10, 10), 15);
    overrun.moveTo(SECOND);
    assertThat(overrun.level()).isCloseTo(5, within(1e-9));
    overrun.moveTo(10 * SECOND);
    assertThat(overrun.level()).isZero();
    assertThat(overrun.nanosUntilHolds(tokens(1))).isEqualTo(Bucket.FAR_NANOS);
  }

  @Test
  void jumpsAtTheBoundaryOfACalendarWindowAndNotBefore() {
    Bucket bucket = calendar(0);
    bucket.take(600);
    bucket.moveTo(39 * SECOND);
    assertThat(bucket.level()).isZero();
    assertThat(bucket.nanosUntilHolds(tokens(1))).isEqualTo(SECOND);
    bucket.moveTo(40 * SECOND);
    assertThat(bucket.level()).isEqualTo(600);
    assertThat(bucket.nanosUntilFull()).isEqualTo(60.0 * SECOND);
    bucket.take(100);
    bucket.moveTo(99 * SECOND);
    assertThat(bucket.level()).isEqualTo(500);
    bucket.moveTo(1_000 * SECOND);
    assertThat(bucket.level()).isEqualTo(600);
  }

  @Test
  void othersUseACalendarWindowFromItsBoundaryOn() {
    Bucket bucket = calendar(5);
    bucket.moveTo(20 * SECOND);
    assertThat(bucket.level()).isCloseTo(500, within(1e-9));
    bucket.moveTo(50 * SECOND);
    assertThat(bucket.level()).isCloseTo(550, within(1e-9));
  }

  @Test
  void aChangeScalesTheRefillOrTheWindow() {
    Bucket refilled = new RefilledBucket(RefusalKind.REQUESTS, new Quota(10, 100), 0);
    refilled.take(100);
    refilled.scale(0.5);
    refilled.moveTo(2 * SECOND);
    assertThat(refilled.level()).isCloseTo(10, within(1e-9));
    assertThat(refilled.limit()).isEqualTo(100);

    Bucket calendar = calendar(0);
    calendar.scale(0.5);
    calendar.moveTo(40 * SECOND);
    assertThat(calendar.level()).isEqualTo(300);
  }

  /** The identity by which a client learns the refill: refill = (limit - level) / reset. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void theAdvertisedResetGivesTheRefill(long seed) {
    var random = new SplittableRandom(seed);
    double perSecond = random.nextDouble(0.5, 200);
    Bucket bucket = new RefilledBucket(RefusalKind.REQUESTS, new Quota(perSecond, 1_000), 0);
    long now = 0;
    for (int i = 0; i < 200; i++) {
      now += random.nextLong(SECOND);
      bucket.moveTo(now);
      bucket.take(random.nextDouble(2 * perSecond));
      QuotaHeader header = QuotaHeader.of(bucket);
      double resetSeconds = header.reset().toMillis() / 1e3;
      assertThat(resetSeconds)
          .as("seed %d", seed)
          .isCloseTo((1_000 - bucket.level()) / perSecond, within(0.0005001));
      assertThat(header.limit()).isEqualTo(1_000);
      assertThat(header.remaining()).isEqualTo((long) Math.max(0, Math.floor(bucket.level())));
    }
  }

  private static Bucket calendar(double othersPerSecond) {
    return new CalendarBucket(
        RefusalKind.REQUESTS,
        Quota.perMinute(600, 600),
        new CalendarWindow(Duration.ofMinutes(1), Duration.ofSeconds(20)),
        othersPerSecond);
  }

  private static Request tokens(int reserved) {
    return Request.exactlyEstimated(0, 1, reserved, 0, 0);
  }
}

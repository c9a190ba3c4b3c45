package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MirrorTest {

  /** A bucket that refills continuously, as a provider has it. */
  private static final class Bucket {
    private final double rate;
    private final double cap;
    private double level;
    private double at;

    Bucket(double rate, double cap) {
      this.rate = rate;
      this.cap = cap;
      this.level = cap;
    }

    void take(double now, double cost) {
      level = Math.min(cap, level + rate * (now - at)) - cost;
      at = now;
    }

    void tell(Mirror mirror, double sentAt, double now) {
      mirror.header(sentAt, cap, Math.floor(level), (cap - level) / rate, 0, 1, now);
    }
  }

  @Test
  void oneResponseTellsTheRefillWhateverTheWindow() {
    var mirror = new Mirror();
    // 3500 a minute: limit 3500, remaining 3499, reset 17 ms.
    mirror.header(0, 3_500, 3_499, 0.017, 0, 1, 0.5);
    assertThat(mirror.rate()).isCloseTo(3_500 / 60.0, within(1.0));
  }

  @Test
  void severalResponsesPinTheRefillDespiteRounding() {
    var mirror = new Mirror();
    var bucket = new Bucket(10, 600);
    for (int i = 0; i < 20; i++) {
      double now = i * 0.05;
      mirror.send(now, 1);
      bucket.take(now, 1);
      bucket.tell(mirror, now, now + 0.01);
    }
    assertThat(mirror.rate()).isCloseTo(10, within(0.5));
  }

  @Test
  void aRequestThatTheBucketCannotTakeWaitsForTheRefill() {
    var mirror = new Mirror();
    mirror.header(0, 10, 0, 1, 0, 1, 0);
    double wait = mirror.waitSeconds(0, 1);
    assertThat(wait).isBetween(0.1, 0.2);
    assertThat(mirror.waitSeconds(wait, 1)).isZero();
  }

  @Test
  void withoutAResetTheWindowTellsTheRefill() {
    var perDay = new Mirror();
    perDay.header(0, 14_400, 14_000, 0, 86_400, 1, 0);
    assertThat(perDay.rate()).isCloseTo(14_400 / 86_400.0, within(1e-9));
    var unknown = new Mirror();
    unknown.header(0, 600, 600, 0, 0, 1, 0);
    assertThat(unknown.rate()).isCloseTo(10, within(1e-9));
  }

  @Test
  void aRefusedRequestConsumedNothing() {
    var mirror = new Mirror();
    mirror.header(0, 10, 5, 0.5, 0, 1, 0);
    mirror.send(0, 5);
    assertThat(mirror.waitSeconds(0, 1)).isPositive();
    mirror.unsend(0, 5);
    assertThat(mirror.waitSeconds(0, 1)).isZero();
  }

  /** The replica never lets through what the provider would refuse, though headers come late. */
  @Test
  void neverOverdrawsABucketThatIsItsOwn() {
    for (long seed = 0; seed < 50; seed++) {
      var random = new SplittableRandom(seed);
      var bucket = new Bucket(random.nextDouble(1, 100), random.nextDouble(5, 500));
      var mirror = new Mirror();
      bucket.tell(mirror, 0, 0);
      double now = 0;
      for (int i = 0; i < 2_000; i++) {
        double wait = mirror.waitSeconds(now, 1);
        now += wait + random.nextDouble(0.001);
        mirror.send(now, 1);
        bucket.take(now, 1);
        assertThat(bucket.level).as("seed %d, request %d", seed, i).isGreaterThanOrEqualTo(0);
        if (random.nextInt(3) == 0) {
          bucket.tell(mirror, now, now);
        }
      }
    }
  }

  @Test
  void othersOnTheSameQuotaAreLeftTheirShare() {
    var mirror = new Mirror();
    var bucket = new Bucket(10, 20);
    bucket.tell(mirror, 0, 0);
    double now = 0;
    double sent = 0;
    double lastOther = 0;
    while (now < 120) {
      double wait = mirror.waitSeconds(now, 1);
      now += Math.max(wait, 0.01);
      while (lastOther + 0.2 < now) {
        lastOther += 0.2;
        bucket.take(lastOther, 1);
      }
      if (mirror.waitSeconds(now, 1) == 0) {
        mirror.send(now, 1);
        bucket.take(now, 1);
        sent++;
        bucket.tell(mirror, now, now);
      }
    }
    // Half of the refill goes to the other one.
    assertThat(sent / 120).isBetween(3.5, 6.0);
  }
}

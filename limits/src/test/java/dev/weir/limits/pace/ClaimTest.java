package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.pace.Claim.Reading;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClaimTest {

  /** A bucket that refills continuously, as a provider has it. */
  static final class Bucket {
    private final double rate;
    private final double capacity;
    private double level;
    private double at;

    Bucket(double rate, double capacity) {
      this.rate = rate;
      this.capacity = capacity;
      this.level = capacity;
    }

    boolean take(double now, double cost) {
      level = Math.min(capacity, level + rate * (now - at));
      at = now;
      if (level < cost) {
        return false;
      }
      level -= cost;
      return true;
    }
  }

  /** What the numbers of a header mean. */
  enum Meaning {
    EXACT {
      @Override
      Reading reading(Bucket bucket) {
        double full = (bucket.capacity - bucket.level) / bucket.rate;
        return new Reading(bucket.capacity, left(bucket), full, full, 1);
      }
    },
    WHOLE_SECONDS {
      @Override
      Reading reading(Bucket bucket) {
        double full = Math.floor((bucket.capacity - bucket.level) / bucket.rate);
        return new Reading(bucket.capacity, left(bucket), Math.max(0, full - 1), full + 1, 1);
      }
    },
    LIMIT_IS_A_RATE {
      @Override
      Reading reading(Bucket bucket) {
        double full = (bucket.capacity - bucket.level) / bucket.rate;
        return new Reading(60 * bucket.rate, left(bucket), full, full, 1);
      }
    },
    REMAINING_ALONE {
      @Override
      Reading reading(Bucket bucket) {
        return new Reading(Double.NaN, left(bucket), Double.NaN, Double.NaN, 1);
      }
    };

    abstract Reading reading(Bucket bucket);

    private static double left(Bucket bucket) {
      return Math.floor(bucket.level);
    }
  }

  /** Whatever limit and reset mean, what remains is enough to know the refill. */
  @ParameterizedTest
  @EnumSource(Meaning.class)
  void measuresTheRefillWhateverTheNumbersMean(Meaning meaning) {
    var claim = new Claim();
    var bucket = new Bucket(20, 40);
    for (int i = 0; i < 400; i++) {
      double now = i / 25.0;
      if (bucket.level + bucket.rate * (now - bucket.at) < 2) {
        continue;
      }
      claim.send(now, 1);
      bucket.take(now, 1);
      claim.read(now, 1, false, meaning.reading(bucket), now + 0.01);
    }
    assertThat(claim.rate()).isCloseTo(20, within(1.0));
  }

  /** Hardly a request that it lets through is refused, though headers are rounded. */
  @ParameterizedTest
  @EnumSource(Meaning.class)
  void neverOverdrawsABucketOnceItIsUnderstood(Meaning meaning) {
    for (long seed = 0; seed < 20; seed++) {
      var random = new SplittableRandom(seed);
      var bucket = new Bucket(random.nextDouble(5, 100), random.nextDouble(20, 400));
      var claim = new Claim();
      int refused = 0;
      double now = 0;
      for (int i = 0; i < 3_000; i++) {
        now += Math.max(claim.waitSeconds(now, 1), random.nextDouble(0.5 / bucket.rate));
        claim.send(now, 1);
        boolean taken = bucket.take(now, 1);
        if (!taken) {
          refused++;
          claim.unsend(now, 1);
          claim.wrong(now, now);
        }
        claim.read(now, 1, !taken, meaning.reading(bucket), now);
      }
      assertThat(refused).as("seed %d, %s", seed, meaning).isLessThanOrEqualTo(9);
      assertThat(3_000 / now).as("seed %d, %s", seed, meaning).isGreaterThan(0.9 * bucket.rate);
    }
  }

  @Test
  void aQuotaThatComesAllAtOnceIsRecognized() {
    var claim = new Claim();
    double left = 200;
    double now = 0;
    for (int i = 0; i < 60; i++) {
      now = i * 0.05;
      claim.send(now, 1);
      left--;
      claim.read(now, 1, false, new Reading(200, left, 10 - now, 10 - now, 1), now);
    }
    assertThat(claim.isWindow()).isTrue();
    assertThat(claim.waitSeconds(now, left)).isZero();
    assertThat(claim.waitSeconds(now, left + 1)).isBetween(0.1, 10 - now + 0.1);
    assertThat(claim.waitSeconds(10.2, 150)).isZero();
  }

  /** The last of a window are used: when each answer is back, nothing is in doubt. */
  @Test
  void aWindowIsUsedUpToTheLastRequestAfterRefusals() {
    var claim = new Claim();
    double left = 200;
    for (int i = 0; i < 60; i++) {
      double now = i * 0.05;
      claim.send(now, 1);
      left--;
      claim.read(now, 1, false, new Reading(200, left, 10 - now, 10 - now, 1), now);
    }
    assertThat(claim.isWindow()).isTrue();
    claim.send(4, 1);
    claim.wrong(4, 4);
    assertThat(claim.waitSeconds(4, left - 1)).isPositive();
    claim.read(4, 1, false, new Reading(200, 1, 6, 6, 1), 4.1);
    assertThat(claim.waitSeconds(4.1, 1)).isZero();
  }

  /** Some providers state milliseconds where others state seconds: a thousandth of the rate. */
  @Test
  void aRateFarBelowWhatIsLetThroughIsNotBelieved() {
    var claim = new Claim();
    for (int i = 0; i < 200; i++) {
      double now = i / 10.0;
      claim.send(now, 1);
      claim.read(now, 1, false, new Reading(600, 5, 60, 60, 1), now + 0.01);
    }
    assertThat(claim.rate()).isZero();
  }

  @Test
  void aRefusedRequestConsumedNothing() {
    var claim = new Claim();
    claim.send(0, 1);
    claim.read(0, 1, false, new Reading(10, 5, 0.5, 0.5, 1), 0);
    claim.send(0.01, 4);
    assertThat(claim.waitSeconds(0.01, 1.5)).isPositive();
    claim.unsend(0.01, 4);
    assertThat(claim.waitSeconds(0.01, 1.5)).isZero();
  }

  /** A refusal whose header says that there is room is about something else. */
  @Test
  void aClaimThatLiesTwiceLosesItsVote() {
    var claim = new Claim();
    var lie = new Reading(10, 9, 0.1, 0.1, 1);
    claim.send(0, 1);
    claim.read(0, 1, false, lie, 0);
    assertThat(claim.votes(0)).isTrue();
    claim.send(1, 1);
    claim.read(1, 1, true, lie, 1);
    claim.wrong(1, 1);
    assertThat(claim.votes(1)).isTrue();
    claim.send(2, 1);
    claim.read(2, 1, true, lie, 2);
    // Sent before the first one came back: nothing new.
    claim.wrong(2, 0.5);
    assertThat(claim.votes(2)).isTrue();
    claim.wrong(2, 2);
    assertThat(claim.votes(2)).isFalse();
  }

  /** Another server may have taken over, which says nothing about quota. */
  @Test
  void aClaimThatIsNotMentionedAnyMoreLosesItsVote() {
    var claim = new Claim();
    claim.send(0, 1);
    claim.read(0, 1, false, new Reading(100, 50, 60, 60, 1), 0);
    for (int i = 1; i <= 49; i++) {
      claim.answered(i, i);
    }
    assertThat(claim.votes(49)).isTrue();
    claim.answered(50, 50);
    assertThat(claim.votes(50)).isFalse();
    claim.read(51, 1, false, new Reading(100, 50, 60, 60, 1), 51);
    assertThat(claim.votes(51)).isTrue();
  }

  /** The end of a window may be wrong: it is read off a clock. */
  @Test
  void aWindowThatIsSaidToLastForHoursIsAskedForAfterAQuarterOfAnHour() {
    var claim = new Claim();
    double left = 60;
    double hours = 3 * 3_600;
    for (int i = 0; i < 60; i++) {
      double now = i * 0.5;
      claim.send(now, 1);
      left--;
      claim.read(now, 1, false, new Reading(60, left, hours - now, hours - now, 1), now);
    }
    assertThat(claim.isWindow()).isTrue();
    assertThat(claim.waitSeconds(30, 1)).isBetween(800.0, 900.0);
  }

  @Test
  void aStateIsComplete() {
    var claim = new Claim();
    var bucket = new Bucket(20, 40);
    for (int i = 0; i < 100; i++) {
      claim.send(i / 25.0, 1);
      bucket.take(i / 25.0, 1);
      claim.read(i / 25.0, 1, false, Meaning.EXACT.reading(bucket), i / 25.0);
    }
    assertThat(new Claim(claim.state()).state()).isEqualTo(claim.state());
    assertThat(new Claim(claim.state()).waitSeconds(5, 30)).isEqualTo(claim.waitSeconds(5, 30));
  }
}

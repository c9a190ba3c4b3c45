package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BettingTest {

  @Test
  void knowsNothingWithoutValues() {
    assertThat(Betting.ofMean(new double[0], 0.95))
        .isEqualTo(new Interval(0, 1, 0.95, Interval.Method.BETTING));
    assertThat(Betting.evidenceAbove(0, new double[0])).isEqualTo(0);
  }

  @Test
  void isNeverWithoutWidth() {
    double[] ones = new double[200];
    Arrays.fill(ones, 1);
    Interval interval = Betting.ofMean(ones, 0.95);
    assertThat(interval.high()).isEqualTo(1);
    assertThat(interval.low()).isBetween(0.95, 0.99);
  }

  @Test
  void holdsTheMeanAtEveryLookTogether() {
    var random = new SplittableRandom(5);
    int runs = 300;
    int missed = 0;
    for (int run = 0; run < runs; run++) {
      double[] values = random.doubles(200).map(u -> u < 0.3 ? 1 : 0).toArray();
      for (int n = 10; n <= 200; n += 10) {
        if (!Betting.ofMean(Arrays.copyOf(values, n), 0.9).contains(0.3)) {
          missed++;
          break;
        }
      }
    }
    assertThat(missed).isLessThanOrEqualTo(30);
  }

  @Test
  void refutesWhatIsWrongSoonEnough() {
    var random = new SplittableRandom(6);
    double[] differences = random.doubles(100).map(u -> u < 0.3 ? 1 : u < 0.6 ? 0 : -0.1).toArray();
    assertThat(Betting.evidenceAbove(0, differences)).isGreaterThan(Math.log(1000));
    assertThat(Betting.ofDifference(differences, 0.95).low()).isPositive();
    assertThat(Betting.evidenceAbove(0.5, differences)).isNegative();
  }

  @Test
  void theOrderOfValuesDoesNotMatter() {
    double[] values = {0, 0.2, 1, 1, 0.7, 0.1};
    double[] others = {1, 0.7, 0, 0.1, 0.2, 1};
    Interval interval = Betting.ofMean(values, 0.95);
    Interval other = Betting.ofMean(others, 0.95);
    assertThat(other.low()).isCloseTo(interval.low(), within(1e-9));
    assertThat(other.high()).isCloseTo(interval.high(), within(1e-9));
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertThatThrownBy(() -> Betting.ofMean(new double[] {1.1}, 0.95))
        .hasMessage("a value must be from 0.0 to 1, was 1.1");
    assertThatThrownBy(() -> Betting.ofMean(new double[] {Double.NaN}, 0.95))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

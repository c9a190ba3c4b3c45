package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BootstrapTest {

  private static final double[] VALUES = new SplittableRandom(1).doubles(200).toArray();

  /** The bootstrap's error is the plain one with n instead of n - 1, but for chance. */
  @Test
  void agreesWithThePlainError() {
    Bootstrap bootstrap = Bootstrap.ofMean(VALUES, 20_000, 0.95, 5).orElseThrow();
    Summary summary = Summary.of(VALUES);
    double plain = summary.standardError().getAsDouble() * Math.sqrt(199.0 / 200);

    assertThat(bootstrap.standardError()).isCloseTo(plain, within(plain * 0.02));
    double mean = summary.mean().getAsDouble();
    assertThat(bootstrap.interval().low()).isCloseTo(mean - 1.96 * plain, within(plain * 0.1));
    assertThat(bootstrap.interval().high()).isCloseTo(mean + 1.96 * plain, within(plain * 0.1));
  }

  /** Of {0, 1}, means are 0, 1/2, 1 with 1/4, 1/2, 1/4: their deviation is sqrt(1/8). */
  @Test
  void agreesWithAllResamplesOfTwo() {
    Bootstrap bootstrap = Bootstrap.ofMean(new double[] {0, 1}, 100_000, 0.4, 6).orElseThrow();
    assertThat(bootstrap.standardError()).isCloseTo(Math.sqrt(0.125), within(2e-3));
    assertThat(bootstrap.interval())
        .isEqualTo(new Interval(0.5, 0.5, 0.4, Interval.Method.BOOTSTRAP));
  }

  @Test
  void quantilesLieBetweenTheNearestNumbers() {
    double[] sorted = {0, 10, 20, 30, 50};
    assertThat(Bootstrap.quantile(sorted, 0)).isEqualTo(0);
    assertThat(Bootstrap.quantile(sorted, 0.1)).isCloseTo(4, within(1e-12));
    assertThat(Bootstrap.quantile(sorted, 0.5)).isEqualTo(20);
    assertThat(Bootstrap.quantile(sorted, 0.875)).isCloseTo(40, within(1e-12));
    assertThat(Bootstrap.quantile(sorted, 1)).isEqualTo(50);
  }

  @Test
  void theSeedDecides() {
    assertThat(Bootstrap.ofMean(VALUES, 100, 0.95, 5))
        .isEqualTo(Bootstrap.ofMean(VALUES, 100, 0.95, 5))
        .isNotEqualTo(Bootstrap.ofMean(VALUES, 100, 0.95, 6));
  }

  @Test
  void oneNumberTellsNothing() {
    assertThat(Bootstrap.ofMean(new double[] {1}, 100, 0.95, 5)).isEmpty();
    assertThat(Bootstrap.ofMean(new double[0], 100, 0.95, 5)).isEmpty();
  }

  @Test
  void needsTwoResamples() {
    assertThatThrownBy(() -> Bootstrap.ofMean(VALUES, 1, 0.95, 5))
        .hasMessage("`resamples` must be >= 2, was 1");
  }
}

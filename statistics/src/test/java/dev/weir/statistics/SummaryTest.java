package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SummaryTest {

  @Test
  void tellsMeanAndSpread() {
    Summary summary = Summary.of(2, 4, 4, 4, 5, 5, 7, 9);

    assertThat(summary.count()).isEqualTo(8);
    assertThat(summary.mean()).hasValue(5);
    assertThat(summary.variance().getAsDouble()).isCloseTo(32.0 / 7, within(1e-12));
    assertThat(summary.standardDeviation().getAsDouble()).isCloseTo(2.138089935, within(1e-9));
    assertThat(summary.standardError().getAsDouble())
        .isCloseTo(Math.sqrt(32.0 / 7 / 8), within(1e-12));
  }

  @Test
  void whatCannotBeToldIsEmpty() {
    assertThat(new Summary().mean()).isEmpty();
    assertThat(new Summary().variance()).isEmpty();
    assertThat(Summary.of(3).mean()).hasValue(3);
    assertThat(Summary.of(3).variance()).isEmpty();
    assertThat(Summary.of(3).standardError()).isEmpty();
    assertThat(new Summary().isBinary()).isFalse();
  }

  @Test
  void knowsProportions() {
    assertThat(Summary.of(0, 1, 1).isBinary()).isTrue();
    assertThat(Summary.of(0, 1, 1).mean()).hasValue(2.0 / 3);
    assertThat(Summary.of(0, 0.5, 1).isBinary()).isFalse();
  }

  @Test
  void equalNumbersHaveNoSpread() {
    Summary summary = new Summary();
    for (int i = 0; i < 100_000; i++) {
      summary.add(0.1);
    }
    assertThat(summary.variance()).hasValue(0);
    assertThat(summary.mean().getAsDouble()).isCloseTo(0.1, within(1e-15));
  }

  @Test
  void refusesWhatIsNoNumber() {
    var summary = new Summary();
    assertThatThrownBy(() -> summary.add(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be finite, was NaN");
    assertThatThrownBy(() -> summary.add(Double.NEGATIVE_INFINITY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(summary.count()).isZero();
  }

  /** Sums of squares, the simple way, would lose all digits here. */
  @Test
  void isExactForLargeNumbersCloseTogether() {
    var random = new SplittableRandom(7);
    double[] values = random.doubles(1_000).map(x -> 1e9 + x).toArray();

    BigDecimal sum = BigDecimal.ZERO;
    for (double value : values) {
      sum = sum.add(new BigDecimal(value));
    }
    BigDecimal mean = sum.divide(BigDecimal.valueOf(values.length), MathContext.DECIMAL128);
    BigDecimal squares = BigDecimal.ZERO;
    for (double value : values) {
      squares = squares.add(new BigDecimal(value).subtract(mean).pow(2));
    }
    double variance = squares.doubleValue() / (values.length - 1);

    assertThat(Summary.of(values).mean().getAsDouble()).isCloseTo(mean.doubleValue(), within(1e-6));
    assertThat(Summary.of(values).variance().getAsDouble()).isCloseTo(variance, within(1e-6));
  }
}

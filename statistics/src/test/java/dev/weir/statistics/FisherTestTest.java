package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FisherTestTest {

  /** The lady tasting tea; R's twins and convictions; SciPy's two examples. */
  @ParameterizedTest
  @CsvSource({
    "3, 4, 1, 4, 0.4857143",
    "2, 12, 15, 18, 0.0005367",
    "8, 10, 1, 6, 0.0349650",
    "6, 8, 1, 5, 0.1025641"
  })
  void asPublished(int ones, int count, int otherOnes, int otherCount, double p) {
    assertThat(FisherTest.test(ones, count, otherOnes, otherCount).p()).isCloseTo(p, within(5e-8));
  }

  /** With whole numbers, where equal is equal. */
  @Test
  void agreesWithCountingInWholeNumbers() {
    for (int count = 1; count <= 9; count++) {
      for (int otherCount = 1; otherCount <= 9; otherCount++) {
        for (int ones = 0; ones <= count; ones++) {
          for (int otherOnes = 0; otherOnes <= otherCount; otherOnes++) {
            BigInteger seen = choose(count, ones).multiply(choose(otherCount, otherOnes));
            BigInteger rare = BigInteger.ZERO;
            int total = ones + otherOnes;
            for (int x = 0; x <= total; x++) {
              BigInteger ways = choose(count, x).multiply(choose(otherCount, total - x));
              rare = ways.compareTo(seen) <= 0 ? rare.add(ways) : rare;
            }
            double p = rare.doubleValue() / choose(count + otherCount, total).doubleValue();
            assertThat(FisherTest.test(ones, count, otherOnes, otherCount).p())
                .isCloseTo(p, within(1e-10));
          }
        }
      }
    }
  }

  @Test
  void aMillionSamplesAreNoTrouble() {
    TestResult result = FisherTest.test(250_000, 500_000, 250_500, 500_000);
    // The normal approximation of the two-sided p: 500 / sqrt(10^6 / 4) = 1 deviation.
    assertThat(result.p()).isCloseTo(0.3178, within(2e-3));
  }

  private static BigInteger choose(int n, int k) {
    if (k < 0 || k > n) {
      return BigInteger.ZERO;
    }
    BigInteger choices = BigInteger.ONE;
    for (int i = 0; i < k; i++) {
      choices = choices.multiply(BigInteger.valueOf(n - i)).divide(BigInteger.valueOf(i + 1L));
    }
    return choices;
  }
}

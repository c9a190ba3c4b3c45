package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class VarianceComponentsTest {

  /** By hand: variances within are 2 and 8; the means 2 and 6 have the variance 8. */
  @Test
  void splitsTheVariance() {
    VarianceComponents parts =
        VarianceComponents.of(List.of(new double[] {1, 3}, new double[] {4, 8})).orElseThrow();

    assertThat(parts.within()).isCloseTo(5, within(1e-12));
    assertThat(parts.between()).isCloseTo(8 - 2.5, within(1e-12));
    assertThat(parts.shareWithin()).isCloseTo(5 / 10.5, within(1e-12));
    assertThat(parts.standardError(2)).isCloseTo(Math.sqrt(8 / 2.0), within(1e-12));
  }

  @Test
  void findsTheComponentsThatDataWasMadeWith() {
    var random = new SplittableRandom(9);
    List<double[]> measured = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      double truth = 2 * random.nextGaussian();
      measured.add(random.doubles(5).map(_ -> truth + random.nextGaussian()).toArray());
    }
    VarianceComponents parts = VarianceComponents.of(measured).orElseThrow();

    assertThat(parts.between()).as("seed 9").isCloseTo(4, within(0.3));
    assertThat(parts.within()).as("seed 9").isCloseTo(1, within(0.05));
  }

  @Test
  void aComponentIsNeverNegative() {
    VarianceComponents parts =
        VarianceComponents.of(List.of(new double[] {0, 1}, new double[] {1, 0})).orElseThrow();

    assertThat(parts.between()).isZero();
    assertThat(parts.shareWithin()).isEqualTo(1);
  }

  @Test
  void isEmptyWhereNothingCanBeSplit() {
    assertThat(VarianceComponents.of(List.of())).isEmpty();
    assertThat(VarianceComponents.of(List.of(new double[] {1, 2}))).isEmpty();
    assertThat(VarianceComponents.of(List.of(new double[] {1}, new double[] {2}))).isEmpty();
    assertThatThrownBy(() -> VarianceComponents.of(List.of(new double[2], new double[3])))
        .hasMessageContaining("2 values each");
  }
}

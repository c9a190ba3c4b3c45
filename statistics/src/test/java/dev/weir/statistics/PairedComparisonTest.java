package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;

class PairedComparisonTest {

  /** Zeros and ones with so many pairs of each kind. */
  private static PairedComparison binary(int bothRight, int up, int down, int bothWrong) {
    double[] baseline = new double[bothRight + up + down + bothWrong];
    double[] scores = new double[baseline.length];
    Arrays.fill(baseline, 0, bothRight, 1);
    Arrays.fill(scores, 0, bothRight + up, 1);
    Arrays.fill(baseline, bothRight + up, bothRight + up + down, 1);
    return PairedComparison.compare(baseline, scores, 0.95, 1).orElseThrow();
  }

  /**
   * The exact p of 9 against 2 pairs is twice the chance of at most 2 heads in 11 throws: 2 (1 + 11
   * + 55) / 2^11.
   */
  @Test
  void zerosAndOnesHaveMcNemarsExactTest() {
    PairedComparison comparison = binary(20, 9, 2, 9);

    assertThat(comparison.test().method()).isEqualTo(TestResult.Method.MCNEMAR);
    assertThat(comparison.test().p()).isCloseTo(134 / 2048.0, within(1e-12));
    assertThat(comparison.difference()).isCloseTo(7 / 40.0, within(1e-12));
    assertThat(comparison.up()).isEqualTo(9);
    assertThat(comparison.down()).isEqualTo(2);
    assertThat(comparison.test().sentence()).isEqualTo("McNemar's exact test, p = 0.065");
  }

  /** By hand: (9 + 1) / 42 - (2 + 1) / 42 ± 1.959964 sqrt((13 / 42 - (7 / 42)²) / 42). */
  @Test
  void theIntervalIsThatOfBonettAndPrice() {
    Interval interval = Intervals.bonettPrice(9, 2, 40, 0.95);

    assertThat(interval.low()).isCloseTo(0.0061, within(5e-4));
    assertThat(interval.high()).isCloseTo(0.3272, within(5e-4));
    assertThat(Intervals.bonettPrice(0, 0, 40, 0.95).high()).isPositive();
    assertThat(Intervals.bonettPrice(3, 0, 3, 0.95).high()).isEqualTo(1);
  }

  /** The interval alone would exclude 0, which the exact test does not. */
  @Test
  void theIntervalReachesZeroWhereTheTestDoesNotExcludeIt() {
    PairedComparison comparison = binary(20, 9, 2, 9);

    assertThat(comparison.interval().orElseThrow().low()).isZero();
    assertThat(comparison.isEvidence()).isFalse();
    assertThat(binary(0, 4, 0, 0).isEvidence()).as("four pairs").isFalse();
  }

  @Test
  void aRegressionIsAWholeIntervalBelowTheTolerance() {
    PairedComparison worse = binary(50, 2, 30, 18);

    assertThat(worse.isRegression(0)).isTrue();
    double high = worse.interval().orElseThrow().high();
    assertThat(high).isNegative();
    assertThat(worse.isRegression(-high + 1e-9)).isFalse();
    assertThat(worse.isRegression(-high - 1e-9)).isTrue();
    assertThat(binary(50, 30, 2, 18).isRegression(0)).as("better").isFalse();
    assertThat(binary(90, 5, 5, 0).isRegression(0)).as("no difference").isFalse();
  }

  /** All 2^4 ways: only all four the same way are as extreme as 1 + 2 + 3 + 4. */
  @Test
  void otherNumbersArePermutedWithinPairs() {
    double[] baseline = {5, 5, 5, 5};
    double[] scores = {6, 7, 8, 9};
    PairedComparison comparison = PairedComparison.compare(baseline, scores, 0.95, 1).orElseThrow();

    assertThat(comparison.test().method()).isEqualTo(TestResult.Method.EXACT_PAIRED_PERMUTATION);
    assertThat(comparison.test().p()).isCloseTo(2 / 16.0, within(1e-12));
    assertThat(comparison.interval().orElseThrow().method())
        .isEqualTo(Interval.Method.STUDENT_PAIRED);
  }

  @Test
  void whatIsTooMuchToCountIsDrawnWithASeedAndAgreesWithTheNormalApproximation() {
    var random = new SplittableRandom(3);
    double[] baseline = random.doubles(400).toArray();
    double[] scores = random.doubles(400).map(value -> value + 0.05).toArray();
    PairedComparison comparison = PairedComparison.compare(baseline, scores, 0.95, 1).orElseThrow();

    assertThat(comparison.test().method()).isEqualTo(TestResult.Method.SAMPLED_PAIRED_PERMUTATION);
    assertThat(comparison).isEqualTo(PairedComparison.compare(baseline, scores, 0.95, 1).get());
    double[] differences = new double[400];
    Arrays.setAll(differences, i -> scores[i] - baseline[i]);
    Summary summary = Summary.of(differences);
    double z = summary.mean().getAsDouble() / summary.standardError().getAsDouble();
    double p = 2 * NormalDistribution.of(0, 1).survivalProbability(Math.abs(z));
    assertThat(comparison.test().p()).as("seed 3").isCloseTo(p, within(0.02));
  }

  /** Under no difference, the test says p < 0.05 in at most 5 of 100 cases; seed 11. */
  @Test
  void thePOfNoDifferenceIsSeldomSmallAndTheIntervalHoldsTheDifference() {
    var random = new SplittableRandom(11);
    int rejected = 0;
    int missed = 0;
    int runs = 2_000;
    for (int run = 0; run < runs; run++) {
      double[] baseline = new double[60];
      double[] scores = new double[60];
      double[] better = new double[60];
      for (int i = 0; i < 60; i++) {
        double ability = random.nextDouble();
        baseline[i] = random.nextDouble() < ability ? 1 : 0;
        scores[i] = random.nextDouble() < ability ? 1 : 0;
        better[i] = random.nextDouble() < Math.min(1, 0.2 + ability) ? 1 : 0;
      }
      rejected +=
          PairedComparison.compare(baseline, scores, 0.95, run).get().test().p() < 0.05 ? 1 : 0;
      // The mean of min(1, 0.2 + u) - u over u from 0 to 1 is 0.18.
      missed +=
          PairedComparison.compare(baseline, better, 0.95, run)
                  .get()
                  .interval()
                  .get()
                  .contains(0.18)
              ? 0
              : 1;
    }
    assertThat(rejected / (double) runs).as("seed 11").isLessThan(0.055);
    assertThat(missed / (double) runs).as("seed 11").isLessThan(0.06);
  }

  @Test
  void withoutPairsThereIsNothingToCompare() {
    assertThat(PairedComparison.compare(new double[0], new double[0], 0.95, 1)).isEmpty();
    assertThatThrownBy(() -> PairedComparison.compare(new double[1], new double[2], 0.95, 1))
        .hasMessageContaining("one for each of 1");
  }

  /** By hand: 1 - 0.05^(1 / 12) = 0.221, so 0.5 ± 0.11. */
  @Test
  void aLossThatIsTheSameForAllIsARegression() {
    PairedComparison worse = constant(12, -0.5);

    assertThat(worse.isEvidence()).isTrue();
    assertThat(worse.isRegression(0)).isTrue();
    assertThat(worse.isRegression(0.45)).isFalse();
    assertThat(worse.interval().orElseThrow().low()).isCloseTo(-0.61, within(0.005));
    assertThat(worse.interval().orElseThrow().high()).isCloseTo(-0.39, within(0.005));
    assertThat(constant(12, 0.5).isRegression(0)).as("better").isFalse();
    assertThat(constant(3, -0.5).isRegression(0)).as("three pairs").isFalse();
    assertThat(constant(1, -0.5).interval()).as("one pair").isEmpty();
  }

  private static PairedComparison constant(int count, double difference) {
    double[] baseline = new double[count];
    double[] scores = new double[count];
    Arrays.fill(baseline, 0.75);
    Arrays.fill(scores, 0.75 + difference);
    return PairedComparison.compare(baseline, scores, 0.95, 1).orElseThrow();
  }

  @Test
  void equalScoresAreNoEvidence() {
    PairedComparison same = binary(30, 0, 0, 10);
    assertThat(same.test().p()).isEqualTo(1);
    assertThat(same.isEvidence()).isFalse();
    double[] graded = {0.5, 0.25, 0.75};
    PairedComparison constant = PairedComparison.compare(graded, graded, 0.95, 1).orElseThrow();
    assertThat(constant.interval()).isEmpty();
    assertThat(constant.isRegression(0)).isFalse();
  }
}

package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GroupComparisonTest {

  @Test
  void saysWhatDiffers() {
    GroupComparison comparison =
        GroupComparison.compare(zeroOne(8, 17), zeroOne(400, 483), 1).orElseThrow();

    assertThat(comparison.difference()).isCloseTo(8 / 17.0 - 400 / 483.0, within(1e-12));
    assertThat(comparison.interval()).contains(Intervals.newcombe(8, 17, 400, 483, 0.95));
    assertThat(comparison.test()).isEqualTo(FisherTest.test(8, 17, 400, 483));
    assertThat(comparison.isEvidence()).isTrue();
    assertThat(comparison.sentence("retried"))
        .isEqualTo(
            "17 retried samples score 0.36 lower than the other 483"
                + " (95 % interval -0.57 to -0.13, Newcombe; Fisher's exact test, p = 0.001).");
  }

  @Test
  void isCautiousWithoutEvidence() {
    GroupComparison comparison =
        GroupComparison.compare(zeroOne(13, 17), zeroOne(400, 483), 1).orElseThrow();

    assertThat(comparison.isEvidence()).isFalse();
    assertThat(comparison.sentence("retried"))
        .isEqualTo(
            "No evidence that 17 retried samples score differently from the other 483: 0.06 lower"
                + " (95 % interval -0.30 to 0.08, Newcombe; Fisher's exact test, p = 0.514);"
                + " a difference of 0.30 is not excluded.");
  }

  /** Newcombe's interval alone is -1.00 to -0.21, which says what the exact test does not. */
  @Test
  void theIntervalReachesZeroWhereTheTestDoesNotExcludeIt() {
    GroupComparison comparison =
        GroupComparison.compare(zeroOne(0, 3), zeroOne(3, 3), 1).orElseThrow();

    assertThat(comparison.sentence("retried"))
        .isEqualTo(
            "No evidence that 3 retried samples score differently from the other 3: 1.00 lower"
                + " (95 % interval -1.00 to 0.00, Newcombe; Fisher's exact test, p = 0.100);"
                + " a difference of 1.00 is not excluded.");
  }

  /** Few graded scores: Student's quantile is large, and the exact test knows better. */
  @Test
  void saysWhenTheIntervalIsTheMoreCautious() {
    double[] spread = {-1, -9};
    double[] close = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    GroupComparison comparison = GroupComparison.compare(spread, close, 1).orElseThrow();

    // One of C(12, 2) = 66 arrangements is as extreme.
    assertThat(comparison.test().p()).isCloseTo(1 / 66.0, within(1e-9));
    assertThat(comparison.interval().orElseThrow().contains(0)).isTrue();
    assertThat(comparison.sentence("retried"))
        .startsWith("2 retried samples score 5.55 lower than the other 10 (95 % interval -")
        .endsWith(
            ", which is approximate and alone would not tell; exact permutation test, p = 0.015).");
  }

  @Test
  void gradedScoresArePermuted() {
    double[] low = {0.1, 0.2, 0.15, 0.05};
    double[] high = {0.8, 0.9, 0.7, 0.85, 0.95, 0.6};
    GroupComparison comparison = GroupComparison.compare(high, low, 1).orElseThrow();

    // One of C(10, 4) = 210 arrangements is as extreme.
    assertThat(comparison.test().method()).isEqualTo(TestResult.Method.EXACT_PERMUTATION);
    assertThat(comparison.test().p()).isCloseTo(1 / 210.0, within(1e-9));
    assertThat(comparison.interval())
        .isEqualTo(Intervals.welch(Summary.of(high), Summary.of(low), 0.95));
    assertThat(comparison.sentence("retried"))
        .startsWith("6 retried samples score 0.67 higher than the other 4 (95 % interval 0.")
        .endsWith("; exact permutation test, p = 0.005).");
  }

  @Test
  void saysWhenShufflesWereDrawn() {
    var random = new SplittableRandom(2);
    GroupComparison comparison =
        GroupComparison.compare(random.doubles(300).toArray(), random.doubles(500).toArray(), 3)
            .orElseThrow();
    assertThat(comparison.sentence("retried"))
        .contains("; permutation test with 9999 seeded shuffles, p = ");
  }

  @Test
  void oneSampleIsSaidInTheSingular() {
    assertThat(
            GroupComparison.compare(new double[] {0.25}, new double[] {0.75}, 1)
                .orElseThrow()
                .sentence("retried"))
        .isEqualTo(
            "No evidence that 1 retried sample scores differently from the other one: 0.50 lower"
                + " (no interval can be told; exact permutation test, p = 1.000).");
  }

  @Test
  void theSameIsNoDifference() {
    assertThat(
            GroupComparison.compare(zeroOne(5, 5), zeroOne(90, 90), 1)
                .orElseThrow()
                .sentence("retried"))
        .startsWith("No evidence that 5 retried samples score differently from the other 90: same")
        .contains("p = 1.000");
  }

  /** Two decimals would say 0.00 of a difference that is beyond doubt. */
  @Test
  void smallDifferencesOfManySamplesAreShown() {
    GroupComparison comparison =
        GroupComparison.compare(zeroOne(250_000, 500_000), zeroOne(252_000, 500_000), 1)
            .orElseThrow();
    assertThat(comparison.sentence("retried"))
        .isEqualTo(
            "500000 retried samples score 0.0040 lower than the other 500000"
                + " (95 % interval -0.0060 to -0.0020, Newcombe; Fisher's exact test, p < 0.001).");
  }

  @Test
  void nothingIsComparedWithNothing() {
    assertThat(GroupComparison.compare(new double[0], zeroOne(1, 2), 1)).isEmpty();
    assertThat(GroupComparison.compare(zeroOne(1, 2), new double[0], 1)).isEmpty();
  }

  private static double[] zeroOne(int ones, int count) {
    return IntStream.range(0, count).mapToDouble(i -> i < ones ? 1 : 0).toArray();
  }
}

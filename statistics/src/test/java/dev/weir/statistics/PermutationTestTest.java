package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PermutationTestTest {

  @Test
  void agreesWithAllSubsets() {
    var random = new SplittableRandom(1);
    for (int round = 0; round < 300; round++) {
      int levels = random.nextInt(2, 12);
      double[] all =
          random.ints(random.nextInt(2, 14), 0, levels).mapToDouble(x -> x / 10.0).toArray();
      int size = random.nextInt(1, all.length);
      double[] group = Arrays.copyOf(all, size);
      double[] others = Arrays.copyOfRange(all, size, all.length);

      TestResult result = PermutationTest.test(group, others, 0);

      assertThat(result.method()).isEqualTo(TestResult.Method.EXACT_PERMUTATION);
      assertThat(result.p()).isCloseTo(bySubsets(all, size), within(1e-9));
    }
  }

  /** In tenths, as whole numbers, so that equal differences are equal. */
  private static double bySubsets(double[] all, int size) {
    int[] tenths = DoubleStream.of(all).mapToInt(x -> (int) Math.round(x * 10)).toArray();
    int total = IntStream.of(tenths).sum();
    int seen = Math.abs(IntStream.of(tenths).limit(size).sum() * all.length - total * size);
    int subsets = 0;
    int extreme = 0;
    for (int chosen = 0; chosen < 1 << all.length; chosen++) {
      if (Integer.bitCount(chosen) == size) {
        int sum = 0;
        for (int i = 0; i < all.length; i++) {
          sum += (chosen >> i & 1) * tenths[i];
        }
        subsets++;
        extreme += Math.abs(sum * all.length - total * size) >= seen ? 1 : 0;
      }
    }
    return (double) extreme / subsets;
  }

  /** Hundreds of samples with three values are counted, not drawn; the shares sum to one. */
  @Test
  void fewValuesAreExactForLargeGroups() {
    double[] group = graded(100, 2);
    double[] others = graded(900, 3);

    TestResult result = PermutationTest.test(group, others, 0);

    assertThat(result.method()).isEqualTo(TestResult.Method.EXACT_PERMUTATION);
    assertThat(result.p()).isBetween(0.0, 1.0);
    double[] balanced = {0, 0.5, 1};
    assertThat(PermutationTest.test(balanced, others(balanced, 200), 0).p())
        .isCloseTo(1, within(1e-9));
  }

  private static double[] graded(int n, long seed) {
    return new SplittableRandom(seed).ints(n, 0, 3).mapToDouble(x -> x / 2.0).toArray();
  }

  private static double[] others(double[] values, int times) {
    return IntStream.range(0, times * values.length)
        .mapToDouble(i -> values[i % values.length])
        .toArray();
  }

  @Test
  void drawsWhenThereAreTooManyToCountAndComesClose() {
    var random = new SplittableRandom(4);
    double[] values = random.doubles(24).toArray();
    double[] group = Arrays.copyOf(values, 12);
    double[] others = Arrays.copyOfRange(values, 12, 24);
    // C(24, 12) = 2.7 million: just beyond what is counted here, but not beyond counting.
    TestResult drawn = PermutationTest.test(group, others, 9);

    assertThat(drawn.method()).isEqualTo(TestResult.Method.SAMPLED_PERMUTATION);
    assertThat(drawn.arrangements()).isEqualTo(9_999);
    assertThat(drawn.p()).isCloseTo(byAllHalves(values), within(0.02));
    assertThat(PermutationTest.test(group, others, 9)).isEqualTo(drawn);
  }

  private static double byAllHalves(double[] values) {
    double mean = DoubleStream.of(values).sum() / values.length;
    double seen = Math.abs(DoubleStream.of(values).limit(12).sum() - 12 * mean) - 1e-9;
    int subsets = 0;
    int extreme = 0;
    for (int chosen = 0; chosen < 1 << 24; chosen++) {
      if (Integer.bitCount(chosen) == 12) {
        double sum = 0;
        for (int rest = chosen; rest != 0; rest &= rest - 1) {
          sum += values[Integer.numberOfTrailingZeros(rest)];
        }
        subsets++;
        extreme += Math.abs(sum - 12 * mean) >= seen ? 1 : 0;
      }
    }
    return (double) extreme / subsets;
  }

  /** The seen arrangement is one of those possible, so chance is never excluded altogether. */
  @Test
  void aDrawnShareIsNeverZero() {
    double[] low = new SplittableRandom(5).doubles(300).toArray();
    double[] high = new SplittableRandom(6).doubles(300, 10, 11).toArray();
    assertThat(PermutationTest.test(low, high, 1).p()).isEqualTo(1.0 / 10_000);
  }

  @Test
  void equalScoresDifferInNothing() {
    assertThat(PermutationTest.test(new double[] {0.5, 0.5}, new double[] {0.5, 0.5, 0.5}, 1).p())
        .isEqualTo(1);
  }

  /** Under chance alone, p is below 0.05 in about 5 % of cases, and not in more. */
  @Test
  void isRightAboutChance() {
    var random = new SplittableRandom(8);
    int runs = 2_000;
    int alarms = 0;
    for (int run = 0; run < runs; run++) {
      double[] group = random.doubles(4).toArray();
      double[] others = random.doubles(8).toArray();
      alarms += PermutationTest.test(group, others, run).p() <= 0.05 ? 1 : 0;
    }
    assertThat(alarms / (double) runs).isBetween(0.035, 0.06);
  }
}

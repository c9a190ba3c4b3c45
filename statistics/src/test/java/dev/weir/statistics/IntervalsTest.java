package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntervalsTest {

  /** R's data set `sleep`: hours of sleep gained with two drugs. */
  private static final double[] FIRST_DRUG = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};

  private static final double[] SECOND_DRUG = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

  /** Table I of Newcombe (1998), two-sided 95 %: methods 3 and 5. */
  @ParameterizedTest
  @CsvSource({
    "81, 263, 0.2553, 0.3662, 0.2527, 0.3676",
    "15, 148, 0.0624, 0.1605, 0.0578, 0.1617",
    "0, 20, 0, 0.1611, 0, 0.1684",
    "1, 29, 0.0061, 0.1718, 0.0009, 0.1776"
  })
  void proportionsAsPublished(
      long successes, long trials, double low, double high, double exactLow, double exactHigh) {
    Interval wilson = Intervals.wilson(successes, trials, 0.95);
    assertThat(wilson.low()).isCloseTo(low, within(5e-5));
    assertThat(wilson.high()).isCloseTo(high, within(5e-5));
    assertThat(wilson.confidence()).isEqualTo(0.95);

    Interval exact = Intervals.clopperPearson(successes, trials, 0.95);
    assertThat(exact.low()).isCloseTo(exactLow, within(5e-5));
    assertThat(exact.high()).isCloseTo(exactHigh, within(5e-5));
  }

  /** Table II of Newcombe (1998), two-sided 95 %: method 10. */
  @ParameterizedTest
  @CsvSource({
    "56, 70, 48, 80, 0.0524, 0.3339",
    "9, 10, 3, 10, 0.1705, 0.8090",
    "6, 7, 2, 7, 0.0582, 0.8062",
    "5, 56, 0, 29, -0.0381, 0.1926",
    "0, 10, 0, 20, -0.1611, 0.2775",
    "10, 10, 0, 10, 0.6075, 1.0000"
  })
  void differencesOfProportionsAsPublished(
      long one, long trials, long other, long otherTrials, double low, double high) {
    Interval interval = Intervals.newcombe(one, trials, other, otherTrials, 0.95);
    assertThat(interval.low()).isCloseTo(low, within(5e-5));
    assertThat(interval.high()).isCloseTo(high, within(5e-5));
  }

  /** The bounds of Clopper and Pearson are those where a binomial tail has 2.5 %. */
  @Test
  void clopperPearsonCutsTheTails() {
    for (int successes = 0; successes <= 12; successes++) {
      Interval interval = Intervals.clopperPearson(successes, 12, 0.95);
      if (successes > 0) {
        assertThat(binomialFrom(successes, 12, interval.low())).isCloseTo(0.025, within(1e-9));
      }
      if (successes < 12) {
        assertThat(1 - binomialFrom(successes + 1, 12, interval.high()))
            .isCloseTo(0.025, within(1e-9));
      }
    }
  }

  private static double binomialFrom(int least, int trials, double share) {
    double sum = 0;
    for (int x = least; x <= trials; x++) {
      double choices = 1;
      for (int i = 0; i < x; i++) {
        choices *= (trials - i) / (double) (i + 1);
      }
      sum += choices * Math.pow(share, x) * Math.pow(1 - share, trials - x);
    }
    return sum;
  }

  /** {@code t.test(sleep$extra[1:10])} and {@code t.test(extra ~ group, sleep)} in R. */
  @Test
  void meansAsInR() {
    Interval student = Intervals.student(Summary.of(FIRST_DRUG), 0.95).orElseThrow();
    assertThat(student.low()).isCloseTo(-0.5297804, within(1e-6));
    assertThat(student.high()).isCloseTo(2.0297804, within(1e-6));

    Interval welch =
        Intervals.welch(Summary.of(FIRST_DRUG), Summary.of(SECOND_DRUG), 0.95).orElseThrow();
    assertThat(welch.low()).isCloseTo(-3.3654832, within(1e-6));
    assertThat(welch.high()).isCloseTo(0.2054832, within(1e-6));
  }

  @Test
  void proportionsStayWithinBoundsAndHaveWidth() {
    for (double confidence : new double[] {0.5, 0.9, 0.95, 0.999}) {
      for (long trials : new long[] {1, 2, 3, 10, 1_000, 1_000_000}) {
        for (long successes : new long[] {0, 1, trials / 2, trials - 1, trials}) {
          for (Interval interval :
              List.of(
                  Intervals.wilson(successes, trials, confidence),
                  Intervals.clopperPearson(successes, trials, confidence))) {
            assertThat(interval.low()).isBetween(0.0, 1.0);
            assertThat(interval.high()).isBetween(0.0, 1.0);
            assertThat(interval.high()).isGreaterThan(interval.low());
            assertThat(interval.contains((double) successes / trials)).isTrue();
          }
        }
      }
    }
  }

  @Test
  void moreConfidenceIsWider() {
    Interval narrow = Intervals.wilson(30, 100, 0.8);
    Interval wide = Intervals.wilson(30, 100, 0.99);
    assertThat(wide.low()).isLessThan(narrow.low());
    assertThat(wide.high()).isGreaterThan(narrow.high());
  }

  /** Wilson's holds the truth about as often as it says; Clopper and Pearson's at least so. */
  @ParameterizedTest
  @ValueSource(doubles = {0.05, 0.3, 0.5, 0.9})
  void proportionsAreCovered(double truth) {
    var random = new SplittableRandom(11);
    int runs = 4_000;
    int wilson = 0;
    int exact = 0;
    for (int run = 0; run < runs; run++) {
      long successes = random.doubles(60).filter(x -> x < truth).count();
      wilson += Intervals.wilson(successes, 60, 0.95).contains(truth) ? 1 : 0;
      exact += Intervals.clopperPearson(successes, 60, 0.95).contains(truth) ? 1 : 0;
    }
    assertThat(wilson / (double) runs).isBetween(0.93, 0.985);
    assertThat(exact / (double) runs).isGreaterThan(0.94);
  }

  @Test
  void theIntervalOfAMeanIsChosenByTheNumbers() {
    assertThat(Intervals.ofMean(Summary.of(0, 1, 1, 1), 0.95))
        .contains(Intervals.wilson(3, 4, 0.95));
    assertThat(Intervals.ofMean(Summary.of(FIRST_DRUG), 0.95))
        .isEqualTo(Intervals.student(Summary.of(FIRST_DRUG), 0.95));
    assertThat(Intervals.ofMean(Summary.of(1), 0.95)).contains(Intervals.wilson(1, 1, 0.95));
  }

  /** Student's of these is 0.9 ± 2.776 * 0.1, which reaches to 1.18. */
  @Test
  void scoresFromZeroToOneHaveNoIntervalBeyondThem() {
    Summary scores = Summary.of(1, 1, 1, 1, 0.5);
    Interval interval = Intervals.ofMean(scores, 0.95).orElseThrow();
    assertThat(Intervals.student(scores, 0.95).orElseThrow().high()).isGreaterThan(1);
    // Wilson's with a share of 0.9, 0.9 * 0.1 / 0.1² = 9 trials and t = 2.776445.
    assertThat(interval.low()).isCloseTo(0.440543, within(1e-6));
    assertThat(interval.high()).isCloseTo(0.990372, within(1e-6));
    var random = new SplittableRandom(3);
    for (int i = 0; i < 2_000; i++) {
      double scale = Math.pow(random.nextDouble(), 4);
      double[] values =
          random.doubles(random.nextInt(2, 12)).map(x -> rounded(x * scale, random)).toArray();
      Summary some = Summary.of(values);
      Intervals.ofMean(some, 0.95)
          .ifPresent(
              range -> {
                assertThat(range.low()).isBetween(0.0, 1.0);
                assertThat(range.high()).isBetween(0.0, 1.0);
                assertThat(range.contains(some.mean().getAsDouble())).isTrue();
              });
    }
  }

  private static double rounded(double x, SplittableRandom random) {
    return random.nextInt(4) == 0 ? Math.rint(x) : x;
  }

  @Test
  void farFromTheEndsItIsStudents() {
    double[] scores = new SplittableRandom(5).doubles(400, 0.45, 0.55).toArray();
    Interval interval = Intervals.ofMean(Summary.of(scores), 0.95).orElseThrow();
    Interval student = Intervals.student(Summary.of(scores), 0.95).orElseThrow();
    assertThat(interval.low()).isCloseTo(student.low(), within(1e-6));
    assertThat(interval.high()).isCloseTo(student.high(), within(1e-6));
  }

  /** Partial credits, few of them, near an end: it holds the truth about as often as it says. */
  @ParameterizedTest
  @CsvSource({"8, 0.5", "20, 0.5", "20, 0.8", "60, 0.9"})
  void partialCreditsAreCovered(int count, double right) {
    var random = new SplittableRandom(17);
    double truth = right + (1 - right) / 2 * 0.5;
    int runs = 4_000;
    int held = 0;
    int told = 0;
    for (int run = 0; run < runs; run++) {
      double[] scores =
          random
              .doubles(count)
              .map(x -> x < right ? 1 : x < right + (1 - right) / 2 ? 0.5 : 0)
              .toArray();
      var interval = Intervals.ofMean(Summary.of(scores), 0.95);
      told += interval.isPresent() ? 1 : 0;
      held += interval.filter(range -> range.contains(truth)).isPresent() ? 1 : 0;
    }
    assertThat(held / (double) told).isBetween(0.93, 0.99);
  }

  @Test
  void epochsOfASampleAreACluster() {
    // Each sample asked four times, always with the same result: ten numbers, not forty.
    double[] scores = new double[40];
    Integer[] samples = new Integer[40];
    for (int i = 0; i < 40; i++) {
      samples[i] = i / 4;
      scores[i] = i / 4 < 7 ? 1 : 0.5;
    }
    Interval clustered =
        Intervals.ofMean(ClusteredSummary.of(scores, List.of(samples)), 0.95).orElseThrow();
    Interval ofTen =
        Intervals.ofMean(Summary.of(1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5), 0.95).orElseThrow();
    assertThat(clustered.low()).isCloseTo(ofTen.low(), within(1e-9));
    assertThat(clustered.high()).isCloseTo(ofTen.high(), within(1e-9));
    // Sums that are all the same hide how they vary.
    assertThat(
            Intervals.ofMean(
                ClusteredSummary.of(
                    new double[] {0.25, 0.75, 0.75, 0.25}, List.of("a", "a", "b", "b")),
                0.95))
        .isEmpty();
  }

  @Test
  void whatCannotBeToldIsEmpty() {
    assertThat(Intervals.ofMean(new Summary(), 0.95)).isEmpty();
    assertThat(Intervals.ofMean(Summary.of(0.5), 0.95)).isEmpty();
    assertThat(Intervals.ofMean(Summary.of(0.5, 0.5, 0.5), 0.95)).isEmpty();
    assertThat(Intervals.welch(Summary.of(0.5), Summary.of(0.1, 0.2), 0.95)).isEmpty();
    assertThat(Intervals.welch(Summary.of(0.5, 0.5), Summary.of(0.1, 0.1), 0.95)).isEmpty();
    assertThat(Intervals.welch(Summary.of(0.5, 0.5), Summary.of(0.1, 0.2), 0.95)).isPresent();
    assertThat(Intervals.ofMean(ClusteredSummary.of(new double[] {0, 1}, List.of("a", "a")), 0.95))
        .isEmpty();
  }

  /** Student's quantile for 4 clusters is wider than the normal one; Wilson's with it is wider. */
  @Test
  void clustersThatAgreeCountOnceEach() {
    List<String> clusters = List.of("a", "a", "b", "b", "c", "c", "d", "d");
    double[] right = {1, 1, 1, 1, 1, 1, 1, 1};
    Interval interval = Intervals.ofMean(ClusteredSummary.of(right, clusters), 0.95).orElseThrow();
    assertThat(interval.high()).isEqualTo(1);
    // n / (n + t²) with n = 4 and t = 3.182446.
    assertThat(interval.low()).isCloseTo(4 / (4 + 3.182446 * 3.182446), within(1e-6));

    double[] halves = {1, 0, 1, 0, 1, 0, 1, 0};
    Interval even = Intervals.ofMean(ClusteredSummary.of(halves, clusters), 0.95).orElseThrow();
    assertThat(even.high()).isLessThan(1).isGreaterThan(0.5);
  }

  @Test
  void aHundredPercentRightIsNotCertain() {
    double[] right = Collections.nCopies(20, 1.0).stream().mapToDouble(x -> x).toArray();
    assertThat(Intervals.ofMean(Summary.of(right), 0.95).orElseThrow().low())
        .isCloseTo(1 - 0.1611, within(5e-5));
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThatThrownBy(() -> Intervals.wilson(1, 0, 0.95)).hasMessageContaining("`trials`");
    assertThatThrownBy(() -> Intervals.wilson(-1, 3, 0.95)).hasMessageContaining("`successes`");
    assertThatThrownBy(() -> Intervals.clopperPearson(4, 3, 0.95))
        .hasMessage("`successes` must be from 0 to `trials` (3), was 4");
    assertThatThrownBy(() -> Intervals.wilson(1, 3, 1))
        .hasMessage("`confidence` must be between 0 and 1, was 1.0");
    assertThatThrownBy(() -> Intervals.student(Summary.of(1, 2), Double.NaN))
        .hasMessageContaining("`confidence`");
    assertThatThrownBy(() -> new Interval(1, 0, 0.95, Interval.Method.WILSON))
        .hasMessageContaining("`high`");
    assertThatThrownBy(() -> new Interval(Double.NaN, 0, 0.95, Interval.Method.WILSON))
        .hasMessageContaining("`high`");
  }
}

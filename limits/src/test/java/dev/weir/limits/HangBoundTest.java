package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How long an attempt may be silent. */
class HangBoundTest {

  private final HangBound bound = new HangBound(false);

  private static void answers(HangBound of, int count, Duration latency) {
    for (int i = 0; i < count; i++) {
      of.took(latency.toNanos());
    }
  }

  private Duration bound() {
    return Duration.ofNanos(bound.nanos());
  }

  @Test
  void isTenMinutesUntilTwentyAnswersAreKnown() {
    answers(bound, 19, Duration.ofSeconds(1));
    assertThat(bound()).isEqualTo(Duration.ofMinutes(10));
    answers(bound, 1, Duration.ofSeconds(1));
    assertThat(bound()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void isFiveTimesTheNinetyNinthPercentile() {
    answers(bound, 98, Duration.ofSeconds(1));
    answers(bound, 1, Duration.ofSeconds(20));
    answers(bound, 1, Duration.ofMinutes(5));
    assertThat(bound()).isEqualTo(Duration.ofSeconds(100));
    answers(bound, 1, Duration.ofMinutes(5));
    assertThat(bound()).as("2 of 101").isEqualTo(Duration.ofMinutes(25));
  }

  @Test
  void isAtLeastTenMinutesWhereTheModelReasons() {
    var reasoning = new HangBound(true);
    answers(reasoning, 50, Duration.ofSeconds(1));
    assertThat(reasoning.nanos()).isEqualTo(Duration.ofMinutes(10).toNanos());
    answers(reasoning, 50, Duration.ofMinutes(3));
    assertThat(reasoning.nanos()).isEqualTo(Duration.ofMinutes(15).toNanos());
  }

  @Test
  void isAtMostAnHour() {
    answers(bound, 50, Duration.ofMinutes(20));
    assertThat(bound()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void doublesWithEachAbandonedAttemptOfARequest() {
    answers(bound, 20, Duration.ofSeconds(1));
    assertThat(bound.nanos(1)).isEqualTo(Duration.ofMinutes(2).toNanos());
    assertThat(bound.nanos(5)).isEqualTo(Duration.ofMinutes(32).toNanos());
    assertThat(bound.nanos(10_000)).isPositive();
  }

  @Test
  void forgetsAnAbandonedAttemptWhoseRequestWasAnsweredSooner() {
    answers(bound, 20, Duration.ofSeconds(1));
    bound.took(Duration.ofSeconds(60).toNanos());
    assertThat(bound()).isEqualTo(Duration.ofMinutes(5));
    bound.correct(Duration.ofSeconds(60).toNanos(), Duration.ofSeconds(2).toNanos());
    assertThat(bound()).isEqualTo(Duration.ofSeconds(60));
    answers(bound, HangBound.WINDOW, Duration.ofSeconds(20));
    bound.correct(Duration.ofSeconds(2).toNanos(), Duration.ofMinutes(20).toNanos());
    assertThat(bound()).as("it is not known any more").isEqualTo(Duration.ofSeconds(100));
  }

  /** The latest thousand against a plain sort of the same, seed 1. */
  @Test
  void knowsOnlyTheLatest() {
    var random = new SplittableRandom(1);
    Deque<Long> latest = new ArrayDeque<>();
    for (int i = 0; i < 5_000; i++) {
      long took = Duration.ofSeconds(random.nextInt(15, 100)).toNanos();
      bound.took(took);
      latest.add(took);
      if (latest.size() > HangBound.WINDOW) {
        latest.remove();
      }
      if (i % 37 == 0 && latest.size() >= HangBound.FEWEST_ANSWERS) {
        long[] sorted = latest.stream().mapToLong(Long::longValue).sorted().toArray();
        long slow = sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
        assertThat(bound.nanos()).as("after %d", i).isEqualTo(5 * slow);
      }
    }
  }
}

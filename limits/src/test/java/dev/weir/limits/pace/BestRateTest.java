package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BestRateTest {

  private final BestRate best = new BestRate();

  @Test
  void aRateThatWasConfirmedIsTriedAgainAfterADrop() {
    best.confirmed(0, 20, 10);
    best.confirmed(30, 5, 10);
    assertThat(best.isTestDue(31)).isFalse();
    assertThat(best.isTestDue(60)).isTrue();
    assertThat(best.tried()).isEqualTo(20);
  }

  /** A bucket that stays full although its refill is said to be much larger than the pace. */
  @Test
  void aStatedRateAboveThePaceIsTried() {
    best.hint(10, 8, 9);
    assertThat(best.isTestDue(10)).isFalse();
    best.hint(10, 2, 9);
    assertThat(best.isTestDue(10)).isTrue();
    assertThat(best.tried()).isEqualTo(9);
  }

  /** It may be wrong: each refusal doubles the time until it is tried again. */
  @Test
  void aStatedRateThatIsRefusedIsTriedMoreAndMoreRarely() {
    int tests = 0;
    for (int second = 0; second < 3_600; second++) {
      best.hint(second, 2, 9);
      if (best.isTestDue(second)) {
        tests++;
        best.failed(second);
      }
    }
    assertThat(tests).isBetween(5, 20);
  }
}

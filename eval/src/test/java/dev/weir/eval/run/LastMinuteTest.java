package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LastMinuteTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long BEGUN = -5 * SECOND;

  @Test
  void aSteadyFlowIsToldAsItIs() {
    var amount = new LastMinute(BEGUN);
    for (long tenth = 0; tenth < 3_000; tenth++) {
      long now = BEGUN + tenth * SECOND / 10;
      amount.add(now, 2);
      if (tenth > 600) {
        assertThat(amount.perMinute(now + SECOND / 20)).isCloseTo(1_200, within(25.0));
      }
    }
  }

  /** A burst of 600 within the first second does not look like 3,600 a minute. */
  @Test
  void theFirstMinuteIsNotExtrapolated() {
    var amount = new LastMinute(BEGUN);
    amount.add(BEGUN, 600);
    assertThat(amount.perMinute(BEGUN)).isEqualTo(600);
    assertThat(amount.perMinute(BEGUN + 5 * SECOND)).isEqualTo(600);
    amount.add(BEGUN + 30 * SECOND, 40);
    assertThat(amount.perMinute(BEGUN + 30 * SECOND)).isEqualTo(640);
  }

  @Test
  void whatIsOlderThanAMinuteIsForgotten() {
    var amount = new LastMinute(BEGUN);
    amount.add(BEGUN, 600);
    assertThat(amount.perMinute(BEGUN + 59 * SECOND)).isEqualTo(600);
    assertThat(amount.perMinute(BEGUN + 61 * SECOND)).isZero();
    amount.add(BEGUN + 600 * SECOND, 1);
    assertThat(amount.perMinute(BEGUN + 600 * SECOND)).isCloseTo(1, within(0.05));
  }
}

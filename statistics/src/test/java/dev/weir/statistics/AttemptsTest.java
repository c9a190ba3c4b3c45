package dev.weir.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AttemptsTest {

  /** Every choice of k of n attempts, of which the first c are right. */
  @Test
  void isTheShareOfAllChoices() {
    for (int n = 1; n <= 10; n++) {
      for (int c = 0; c <= n; c++) {
        for (int k = 1; k <= n; k++) {
          int choices = 0;
          int some = 0;
          int all = 0;
          int right = (1 << c) - 1;
          for (int chosen = 0; chosen < 1 << n; chosen++) {
            if (Integer.bitCount(chosen) == k) {
              choices++;
              some += (chosen & right) != 0 ? 1 : 0;
              all += (chosen & ~right) == 0 ? 1 : 0;
            }
          }
          assertThat(Attempts.passAt(n, c, k)).isCloseTo((double) some / choices, within(1e-12));
          assertThat(Attempts.allPass(n, c, k)).isCloseTo((double) all / choices, within(1e-12));
        }
      }
    }
  }

  @Test
  void manyAttemptsDoNotOverflow() {
    assertThat(Attempts.passAt(100_000, 50_000, 10)).isCloseTo(1 - 1.0 / 1024, within(1e-5));
    assertThat(Attempts.allPass(100_000, 50_000, 10)).isCloseTo(1.0 / 1024, within(1e-5));
    assertThat(Attempts.passAt(100_000, 0, 50_000)).isEqualTo(0);
    assertThat(Attempts.passAt(100_000, 1, 100_000)).isEqualTo(1);
  }

  @Test
  void countsTheRightOnes() {
    assertThat(Attempts.atLeast(3, 2, 2, 0)).hasValue(1);
    assertThat(Attempts.atLeast(3, 1, 2, 0)).hasValue(0);
  }

  @Test
  void whatMissingAttemptsDecideIsEmpty() {
    assertThat(Attempts.atLeast(2, 1, 2, 1)).isEmpty();
    assertThat(Attempts.atLeast(2, 2, 2, 1)).hasValue(1);
    assertThat(Attempts.atLeast(2, 0, 2, 1)).hasValue(0);
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThatThrownBy(() -> Attempts.passAt(3, 4, 1))
        .hasMessage("`c` must be from 0 to `n` (3), was 4");
    assertThatThrownBy(() -> Attempts.allPass(3, 1, 4))
        .hasMessage("`k` must be from 1 to `n` (3), was 4");
    assertThatThrownBy(() -> Attempts.atLeast(3, 1, 0, 0)).hasMessageContaining("`k`");
  }
}

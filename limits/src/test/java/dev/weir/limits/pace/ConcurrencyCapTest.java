package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConcurrencyCapTest {

  private final ConcurrencyCap cap = new ConcurrencyCap();

  @Test
  void growsFasterAndFasterWhileNothingIsRefused() {
    cap.startAt(5);
    for (int second = 0; second <= 120; second++) {
      cap.bound(second, 10);
    }
    assertThat(cap.cap()).isGreaterThan(50);
  }

  @Test
  void asksMoreRarelyWhileItIsRefused() {
    cap.startAt(5);
    int probes = 0;
    for (int second = 0; second <= 600; second++) {
      cap.bound(second, 10);
      if (cap.cap() > 5) {
        probes++;
        assertThat(cap.explains(second, 5)).isTrue();
      }
      assertThat(cap.cap()).isEqualTo(5);
    }
    // After 20, 40, 80 and then every 120 s.
    assertThat(probes).isBetween(4, 7);
  }

  @Test
  void fallsBackToWhatWasLetThroughIfAHigherStepIsRefused() {
    cap.startAt(5);
    int second = 0;
    while (cap.cap() < 12) {
      cap.bound(second++, 10);
    }
    int step = cap.state().step();
    int before = cap.cap() - step;
    assertThat(step).isGreaterThan(1);
    assertThat(cap.explains(second, before)).isTrue();
    assertThat(cap.cap()).isEqualTo(before);
  }

  @Test
  void isWithdrawnByARefusalWithRoomBelowIt() {
    cap.startAt(5);
    assertThat(cap.contradicted(5)).isFalse();
    assertThat(cap.cap()).isEqualTo(5);
    assertThat(cap.contradicted(4)).isTrue();
    assertThat(cap.cap()).isEqualTo(ConcurrencyCap.NONE);
  }

  @Test
  void asksMoreRarelyWhereRequestsAreFew() {
    cap.startAt(5);
    for (int second = 0; second < 60; second++) {
      cap.bound(second, 1);
      assertThat(cap.cap()).isEqualTo(5);
    }
    cap.bound(60, 1);
    assertThat(cap.cap()).isEqualTo(6);
  }
}

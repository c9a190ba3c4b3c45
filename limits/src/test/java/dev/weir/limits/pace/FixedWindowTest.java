package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FixedWindowTest {

  private static final double NOISE = 1;

  private final FixedWindow window = new FixedWindow();

  /** A window that ends at 60 s, seen while 40 of its 100 are taken. */
  private void recognize() {
    window.read(0, 100, 59.9, 60.1, 0, NOISE, false);
    window.read(10, 100, 59.9, 60.1, 20, NOISE, false);
    window.read(20, 100, 59.9, 60.1, 40, NOISE, false);
    assertThat(window.isRecognized()).isTrue();
  }

  @Test
  void whatDoesNotComeBackIsAWindow() {
    recognize();
    assertThat(window.nextBoundary(30)).isEqualTo(60.1);
  }

  @Test
  void theNextWindowIsLearnedFromARefusalToo() {
    recognize();
    window.read(65, 200, 119.9, 120.1, Double.NaN, NOISE, false);
    assertThat(window.nextBoundary(70)).isEqualTo(120.1);
    assertThat(window.average(100)).isCloseTo(100.0 / 60, within(1e-6));
  }

  @Test
  void aLateResponseOfTheWindowBeforeChangesNothing() {
    recognize();
    window.read(65, 200, 119.9, 120.1, 10, NOISE, false);
    window.read(50, 100, 59.9, 60.1, Double.NaN, NOISE, false);
    window.read(51, 100, 59.9, 60.1, 60, NOISE, false);
    assertThat(window.isRecognized()).isTrue();
    assertThat(window.nextBoundary(70)).isEqualTo(120.1);
  }

  @Test
  void whatComesBackInBetweenIsNoWindow() {
    recognize();
    window.read(30, 130, 59.9, 60.1, 40, NOISE, false);
    assertThat(window.isRecognized()).isFalse();
  }
}

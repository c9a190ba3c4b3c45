package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CircuitTest {

  private final Circuit circuit = new Circuit();

  @Test
  void fourFailuresInARowOpenItAndAnAnswerBetweenDoesNot() {
    for (int i = 0; i < 3; i++) {
      assertThat(circuit.failed(i)).isFalse();
    }
    circuit.answered(3);
    for (int i = 0; i < 3; i++) {
      assertThat(circuit.failed(i)).isFalse();
    }
    assertThat(circuit.failed(7)).isTrue();
    assertThat(circuit.isOpen()).isTrue();
  }

  @Test
  void probesComeMoreAndMoreRarelyUpToFiveSeconds() {
    open();
    double now = 0;
    double last = 0;
    for (int i = 0; i < 10; i++) {
      double wait = circuit.waitSeconds(now);
      now += wait;
      circuit.send(now, 1);
      circuit.failed(now);
      if (i > 0) {
        assertThat(wait).isGreaterThanOrEqualTo(last * 0.99).isLessThanOrEqualTo(5);
      }
      last = wait;
    }
    assertThat(last).isGreaterThan(4.9);
  }

  @Test
  void afterTheFirstAnswerTheRateDoublesEachSecondFromFour() {
    open();
    assertThat(circuit.answered(10)).isTrue();
    int sent = 0;
    double now = 10;
    while (now < 12) {
      double wait = circuit.waitSeconds(now);
      now += wait;
      circuit.send(now, 1);
      sent++;
      now += 1e-6;
    }
    // The integral of 4 * 2^t over two seconds is about 17.
    assertThat(sent).isBetween(15, 20);
    assertThat(circuit.waitSeconds(30)).isZero();
  }

  private void open() {
    for (int i = 0; i < 4; i++) {
      circuit.failed(0);
    }
  }
}

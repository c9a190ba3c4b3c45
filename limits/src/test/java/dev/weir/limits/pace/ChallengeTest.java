package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChallengeTest {

  private static final double REFUSAL_SECONDS = 0.2;

  private final Challenge challenge = new Challenge();

  @Test
  void isDueAfterFourRefusalsThatThePaceDoesNotExplain() {
    suspect(3);
    assertThat(challenge.isDue()).isFalse();
    suspect(1);
    assertThat(challenge.isDue()).isTrue();
  }

  @Test
  void forgetsSuspicionsOnceARefusalIsExplained() {
    suspect(3);
    challenge.explained();
    suspect(3);
    assertThat(challenge.isDue()).isFalse();
  }

  @Test
  void passesOnlyAfterRefusalsCouldHaveArrived() {
    suspect(4);
    challenge.start(10);
    double last = send(10, 24);
    assertThat(challenge.isPassed(last + REFUSAL_SECONDS / 2, REFUSAL_SECONDS)).isFalse();
    assertThat(challenge.isPassed(last + 2 * REFUSAL_SECONDS, REFUSAL_SECONDS)).isTrue();
  }

  @Test
  void excusesTheRefusalsThatWereNotKnownToBeStrays() {
    suspect(3);
    challenge.unexplained(true);
    challenge.start(10);
    send(10, 24);
    assertThat(challenge.refused(10.1)).isFalse();
    assertThat(challenge.passed()).isEqualTo(4);
    assertThat(challenge.isRunning()).isFalse();
  }

  @Test
  void isALimitIfAThirdIsRefused() {
    suspect(4);
    challenge.start(10);
    send(10, 9);
    assertThat(challenge.refused(10.3)).isFalse();
    assertThat(challenge.refused(10.6)).isFalse();
    assertThat(challenge.refused(10.8)).isTrue();
  }

  @Test
  void ignoresRefusalsOfRequestsSentBeforeOrAfterTheTest() {
    suspect(4);
    challenge.start(10);
    double last = send(10, 24);
    for (int i = 0; i < 10; i++) {
      assertThat(challenge.refused(9.9)).isFalse();
      challenge.sent(last + 1);
      assertThat(challenge.refused(last + 1)).isFalse();
    }
  }

  @Test
  void waitsTwiceAsLongAfterEachFailure() {
    for (int needed : new int[] {4, 8, 16, 32, 32}) {
      suspect(needed - 1);
      assertThat(challenge.isDue()).isFalse();
      suspect(1);
      assertThat(challenge.isDue()).isTrue();
      challenge.start(10);
      challenge.failed();
    }
  }

  @Test
  void comesBackFromItsState() {
    suspect(4);
    challenge.start(10);
    send(10, 7);
    challenge.refused(10.2);
    var copy = new Challenge(challenge.state());
    assertThat(copy.state()).isEqualTo(challenge.state());
    assertThat(copy.isRunning()).isTrue();
  }

  private void suspect(int refusals) {
    for (int i = 0; i < refusals; i++) {
      challenge.unexplained(false);
    }
  }

  /** One each 0.1 s. */
  private double send(double from, int count) {
    double at = from;
    for (int i = 0; i < count; i++) {
      at = from + 0.1 * i;
      challenge.sent(at);
    }
    return at;
  }
}

package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class BackstopTest {

  /** Sends as soon as it may; the answer comes after 0.1 s and is always no. */
  @Test
  void aProviderThatRefusesEverythingForAnHourIsAskedRarely() {
    var backstop = new Backstop();
    double now = 0;
    int attempts = 0;
    while (now < 3_600) {
      backstop.tick(now);
      now += backstop.waitSeconds(now);
      backstop.sent(now);
      attempts++;
      backstop.refused(now + 0.1, now);
      now += 0.1;
    }
    assertThat(attempts).isBetween(30, 80);
  }

  @Test
  void probesAfterThreeRefusalsThatCouldHaveKnown() {
    var backstop = new Backstop();
    for (int i = 0; i < 20; i++) {
      backstop.sent(i * 0.01);
    }
    for (int i = 0; i < 20; i++) {
      // On their way when the first one came back.
      backstop.refused(0.5, i * 0.01);
    }
    assertThat(backstop.isProbing()).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(backstop.isProbing()).isFalse();
      backstop.sent(1 + i);
      backstop.refused(1.1 + i, 1 + i);
    }
    assertThat(backstop.isProbing()).isTrue();
    assertThat(backstop.waitSeconds(3.1)).isPositive();
  }

  @Test
  void anAttemptThatIsLetThroughEndsTheEpisode() {
    var backstop = new Backstop();
    backstop.sent(0);
    backstop.refused(0.1, 0);
    for (int i = 0; i < 3; i++) {
      backstop.sent(1 + i);
      backstop.refused(1.1 + i, 1 + i);
    }
    backstop.sent(10);
    backstop.tick(20);
    assertThat(backstop.isProbing()).isFalse();
    assertThat(backstop.waitSeconds(20)).isZero();
  }

  @Test
  void whoIsRefusedTooOftenOverallGoesSlowerThanWhatWasLetThrough() {
    var backstop = new Backstop();
    double now = 0;
    for (int i = 0; i < 100; i++) {
      now += 0.1;
      backstop.sent(now);
      if (i % 5 == 0) {
        backstop.refused(now, now);
      } else {
        backstop.answered(now);
      }
    }
    // Eight a second were let through.
    Slice.Gate gate = Objects.requireNonNull(backstop.gate());
    assertThat(gate.perSecond()).isBetween(3.0, 8.0);
  }
}

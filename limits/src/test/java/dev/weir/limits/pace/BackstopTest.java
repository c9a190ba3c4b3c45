package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
      backstop.refused(now + 0.1, now, false);
      now += 0.1;
    }
    assertThat(attempts).isBetween(30, 80);
  }

  /** Where nothing was let through at first, nothing is known about a pace. */
  @Test
  void aProviderThatBeginsWithRefusalsForMinutesIsNotAskedSlowlyForHours() {
    var backstop = new Backstop();
    double now = 0;
    int answers = 0;
    while (answers < 300) {
      now += Math.max(backstop.waitSeconds(now), 0.05);
      backstop.tick(now);
      backstop.sent(now);
      double sentAt = now;
      now += 0.1;
      if (sentAt < 240) {
        backstop.refused(now, sentAt, false);
      } else {
        answers++;
        backstop.answered(now, sentAt);
      }
    }
    assertThat(now).isLessThan(900);
  }

  @Test
  void probesAfterThreeRefusalsThatCouldHaveKnown() {
    var backstop = new Backstop();
    for (int i = 0; i < 20; i++) {
      backstop.sent(i * 0.01);
    }
    for (int i = 0; i < 20; i++) {
      // On their way when the first one came back.
      backstop.refused(0.5, i * 0.01, false);
    }
    assertThat(backstop.isProbing()).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(backstop.isProbing()).isFalse();
      backstop.sent(1 + i);
      backstop.refused(1.1 + i, 1 + i, false);
    }
    assertThat(backstop.isProbing()).isTrue();
    assertThat(backstop.waitSeconds(3.1)).isPositive();
  }

  @Test
  void anAttemptThatIsLetThroughEndsTheEpisode() {
    var backstop = new Backstop();
    backstop.sent(0);
    backstop.refused(0.1, 0, false);
    for (int i = 0; i < 3; i++) {
      backstop.sent(1 + i);
      backstop.refused(1.1 + i, 1 + i, false);
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
        backstop.refused(now, now, false);
      } else {
        backstop.answered(now, now);
      }
    }
    // Eight a second were let through.
    assertThat(backstop.gate().perSecond()).isBetween(0.5, 8.0);
  }

  @Test
  void refusalsOfWhatWasSentBeforeTheFirstProbeDoNotSpaceProbesOut() {
    var backstop = new Backstop();
    backstop.sent(0);
    backstop.refused(0.1, 0, false);
    for (int i = 0; i < 50; i++) {
      backstop.sent(1 + i * 0.001);
    }
    for (int i = 0; i < 50; i++) {
      backstop.refused(1.2, 1 + i * 0.001, false);
    }
    assertThat(backstop.isProbing()).isTrue();
    assertThat(backstop.waitSeconds(1.2)).isCloseTo(1, within(1e-9));
  }

  @Test
  void whatMayBeRefusedAtOnceFitsTheRoomThatIsLeft() {
    var backstop = new Backstop();
    double refusalSeconds = 0.1;
    double volley = backstop.gate().perSecond() * refusalSeconds;
    assertThat(volley).isLessThanOrEqualTo(20);
    for (int i = 0; i < 10_000; i++) {
      backstop.sent(i);
    }
    // 2 % of what was let through may be refused.
    assertThat(backstop.gate().perSecond() * refusalSeconds).isBetween(volley + 100, 220.0);
  }

  @Test
  void refusalsThatComeAsRarelyAtAFractionOfThePaceStopSlowingItDown() {
    var backstop = new Backstop();
    double now = 0;
    double slowest = Double.POSITIVE_INFINITY;
    for (int i = 0; i < 20_000; i++) {
      backstop.tick(now);
      now += Math.max(0.05, backstop.waitSeconds(now));
      backstop.sent(now);
      if (i % 40 == 39) {
        backstop.refused(now + 0.01, now, false);
        slowest = Math.min(slowest, backstop.gate().perSecond());
      } else {
        backstop.answered(now + 0.01, now);
      }
    }
    assertThat(slowest).isGreaterThan(5);
  }
}

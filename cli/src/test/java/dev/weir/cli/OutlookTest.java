package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutlookTest {

  private static final int TOTAL = 10_000;

  private Outlook outlook = new Outlook(0);

  private Optional<Duration> look(double seconds, int done) {
    return look(seconds, done, null);
  }

  private Optional<Duration> look(double seconds, int done, @Nullable Duration wait) {
    return outlook.left(
        new RunProgress(
            "t",
            "sim/demo",
            TOTAL,
            done,
            0,
            1,
            0,
            Optional.empty(),
            Optional.empty(),
            Moments.IDLE,
            new Waiting(Constraint.NOTHING, "sim/demo", OptionalLong.empty()),
            Optional.ofNullable(wait),
            Tokens.NONE,
            Spend.NONE,
            Duration.ofMillis((long) (seconds * 1_000)),
            Optional.empty(),
            Optional.empty(),
            false));
  }

  /** Looked at ten times per second, as the display does. */
  private Optional<Duration> goOn(double from, double to, double done, double perSecond) {
    Optional<Duration> last = Optional.empty();
    for (int i = 0; from + i / 10.0 <= to; i++) {
      last = look(from + i / 10.0, (int) (done + perSecond * i / 10));
    }
    return last;
  }

  @Test
  void isNotKnownBeforeASampleHasEnded() {
    assertThat(goOn(0, 300, 0, 0)).isEmpty();
    assertThat(look(301, 1)).isPresent();
  }

  @Test
  void goesByTheRateOfLate() {
    // Ten minutes at 1 per second, then the quota is raised: 10 per second.
    assertThat(goOn(0, 600, 0, 1).orElseThrow().toSeconds()).isBetween(9_390L, 9_410L);
    Duration left = goOn(600, 640, 600, 10).orElseThrow();
    // 9,000 samples at 10 per second; by the mean over all it would be 5,760 s.
    assertThat(left.toSeconds()).isBetween(890L, 920L);
  }

  @Test
  void slowSamplesAreJudgedByMoreThanHalfAMinute() {
    // One ends every 20 s: within half a minute there is one or two, which says little.
    Optional<Duration> last = Optional.empty();
    for (int second = 0; second <= 2_000; second++) {
      last = look(second, second / 20);
    }
    assertThat(last.orElseThrow().toSeconds()).isBetween(186_000L, 202_000L);
  }

  @Test
  void isNotKnownAnyMoreWhenNothingEndsForLong() {
    assertThat(goOn(0, 60, 0, 5)).isPresent();
    assertThat(goOn(60, 85, 300, 0)).as("a while is no reason").isPresent();
    assertThat(goOn(85, 130, 300, 0)).isEmpty();
    assertThat(goOn(130, 170, 300, 5)).as("it goes on").isPresent();
  }

  @Test
  void isNotSoonerThanTheNextCall() {
    goOn(0, 60, 0, 160);
    assertThat(look(60.1, 9_616, Duration.ofMinutes(10))).contains(Duration.ofMinutes(10));
  }

  @Test
  void whatItRemembersIsBounded() {
    // One ends every 10 minutes, for two weeks.
    Optional<Duration> last = Optional.empty();
    for (int second = 0; second <= 1_200_000; second += 5) {
      last = look(second, second / 600);
    }
    assertThat(last.orElseThrow().toHours()).isBetween(1_250L, 1_360L);
  }

  @Test
  void nothingIsLeftAtTheEnd() {
    assertThat(look(10, TOTAL)).contains(Duration.ZERO);
  }

  @Test
  void samplesKeptFromAnEarlierRunTellNothingAboutThePace() {
    outlook = new Outlook(9_000);
    assertThat(look(0.1, 9_000)).as("nothing is done yet").isEmpty();
    // Ten a second from here on: 900 are left after ten seconds.
    assertThat(goOn(0.2, 10, 9_002, 10).orElseThrow())
        .isBetween(Duration.ofSeconds(85), Duration.ofSeconds(95));
  }

  @Test
  void oneThatBeginsAnewIsJudgedAnew() {
    goOn(0, 60, 0, 100);
    assertThat(look(0.1, 6_000)).isEmpty();
    assertThat(goOn(0.2, 20, 6_002, 10).orElseThrow())
        .isBetween(Duration.ofSeconds(360), Duration.ofSeconds(400));
  }
}

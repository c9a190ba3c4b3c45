package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AimdTest {

  private static final AimdSettings DEFAULTS = AimdSettings.defaults();
  private static final Duration COOLDOWN = DEFAULTS.cooldown();

  private final Aimd aimd = new Aimd(DEFAULTS);

  /** May start anywhere; negative, as it is on some machines. */
  private long now = -1_000_000_000_000L;

  @Test
  void beginsAtTheStart() {
    assertThat(aimd.window()).isEqualTo(20);
    assertThat(aimd.history()).isEmpty();
  }

  @Test
  void doublesPerCleanRoundUntilTheCeiling() {
    assertThat(windowAfterRound()).isEqualTo(40);
    assertThat(windowAfterRound()).isEqualTo(80);
    assertThat(windowAfterRound()).isEqualTo(160);
    assertThat(windowAfterRound()).isEqualTo(200);
    assertThat(windowAfterRound()).isEqualTo(200);
    assertThat(aimd.history())
        .extracting(WindowChange::reason)
        .hasSize(4)
        .containsOnly(Reason.SLOW_START);
  }

  @Test
  void growsByFivePercentAfterTheFirstRefusal() {
    refuse();
    assertThat(aimd.window()).isEqualTo(16);
    pass(COOLDOWN);
    // 5 % of 16 is 0.8, of 29 it is 1.45: both round to 1.
    for (int expected = 17; expected <= 30; expected++) {
      assertThat(windowAfterRound()).isEqualTo(expected);
    }
    // 5 % of 30 is 1.5, which rounds to 2, the even one.
    assertThat(windowAfterRound()).isEqualTo(32);
    assertThat(aimd.history().getLast())
        .isEqualTo(new WindowChange(now, 30, 32, Reason.STEADY_STATE_UP));
  }

  @Test
  void tiesAreRoundedToEven() {
    assertThat(grownOnceFrom(10)).isEqualTo(11); // 0.5 rounds to 0, which counts as 1
    assertThat(grownOnceFrom(30)).isEqualTo(32); // 1.5
    assertThat(grownOnceFrom(50)).isEqualTo(52); // 2.5
    assertThat(grownOnceFrom(70)).isEqualTo(74); // 3.5
  }

  @Test
  void aRoundHasAtLeastFourAnswers() {
    var small = new Aimd(DEFAULTS.withBounds(1, 1, 8));
    small.acquired(now, 1);
    answer(small, 3);
    assertThat(small.window()).isEqualTo(1);
    answer(small, 1);
    assertThat(small.window()).isEqualTo(2);
  }

  @Test
  void aWindowThatIsNotUsedDoesNotGrow() {
    aimd.acquired(now, 15);
    answer(aimd, 20);
    assertThat(aimd.window()).isEqualTo(20);
    // The peak of the last round is forgotten; 16 of 20 is just enough.
    aimd.acquired(now, 16);
    answer(aimd, 20);
    assertThat(aimd.window()).isEqualTo(40);
  }

  @Test
  void neutralAnswersAndTransientFailuresNeitherCountNorStartTheRoundAnew() {
    aimd.acquired(now, 20);
    answer(aimd, 19);
    for (int i = 0; i < 50; i++) {
      aimd.succeeded(now, true);
      aimd.transientFailure(now);
      aimd.quotaSeen(now, 0);
    }
    assertThat(aimd.window()).isEqualTo(20);
    answer(aimd, 1);
    assertThat(aimd.window()).isEqualTo(40);
  }

  @Test
  void cutsOncePerEpisode() {
    for (int i = 0; i < 30; i++) {
      refuse();
      pass(Duration.ofMillis(400));
    }
    assertThat(aimd.window()).isEqualTo(16);
    assertThat(aimd.history()).hasSize(1);
    pass(COOLDOWN.minus(Duration.ofMillis(400).multipliedBy(30)));
    refuse();
    assertThat(aimd.window()).isEqualTo(12);
  }

  @Test
  void theCooldownEndsAtItsEndAndNotBefore() {
    refuse();
    pass(COOLDOWN.minusNanos(1));
    refuse();
    assertThat(aimd.window()).isEqualTo(16);
    pass(Duration.ofNanos(1));
    refuse();
    assertThat(aimd.window()).isEqualTo(12);
  }

  @Test
  void nothingCountsInTheCooldown() {
    refuse();
    aimd.acquired(now, 20);
    answer(aimd, 100);
    pass(COOLDOWN);
    // Sixteen clean answers, but what was in flight during the cooldown is not known any more.
    answer(aimd, 16);
    assertThat(aimd.window()).isEqualTo(16);
    aimd.acquired(now, 16);
    answer(aimd, 15);
    assertThat(aimd.window()).isEqualTo(16);
    answer(aimd, 1);
    assertThat(aimd.window()).isEqualTo(17);
  }

  @Test
  void aRefusalStartsTheRoundAnew() {
    var instant = new Aimd(DEFAULTS.withCooldown(Duration.ZERO));
    instant.acquired(now, 20);
    answer(instant, 19);
    instant.rateLimited(now, Optional.empty(), Optional.empty());
    answer(instant, 16);
    assertThat(instant.window()).as("no acquire since the cut").isEqualTo(16);
    instant.acquired(now, 16);
    answer(instant, 15);
    assertThat(instant.window()).isEqualTo(16);
    answer(instant, 1);
    assertThat(instant.window()).isEqualTo(17);
  }

  @Test
  void theCooldownIsTheLongerOfSettingAndHint() {
    assertThat(cooldownAfter(Optional.empty(), Optional.empty())).isEqualTo(COOLDOWN);
    assertThat(cooldownAfter(seconds(1), Optional.empty())).isEqualTo(COOLDOWN);
    assertThat(cooldownAfter(seconds(89), Optional.empty())).isEqualTo(Duration.ofSeconds(89));
    assertThat(cooldownAfter(Optional.empty(), seconds(60))).isEqualTo(Duration.ofSeconds(60));
    assertThat(cooldownAfter(Optional.empty(), seconds(3))).isEqualTo(COOLDOWN);
  }

  @Test
  void theResetCountsOnlyWithoutARetryAfter() {
    assertThat(cooldownAfter(seconds(20), seconds(60))).isEqualTo(Duration.ofSeconds(20));
    assertThat(cooldownAfter(seconds(0), seconds(60))).isEqualTo(COOLDOWN);
  }

  @Test
  void absurdHintsDoNoHarm() {
    assertThat(cooldownAfter(seconds(-5), Optional.empty())).isEqualTo(COOLDOWN);
    aimd.rateLimited(now, Optional.of(Duration.ofSeconds(Long.MAX_VALUE)), Optional.empty());
    pass(Duration.ofDays(10_000));
    refuse();
    assertThat(aimd.history()).hasSize(1);
  }

  /**
   * The bug of the original: each of these refusals would extend the cooldown by its 20 s, so the
   * one cut at the beginning would also be the last.
   */
  @Test
  void aSteadyStreamOfRefusalsWithAWaitCutsDownToTheFloor() {
    for (int second = 0; second < 160; second++) {
      aimd.rateLimited(now, seconds(20), Optional.empty());
      pass(Duration.ofSeconds(1));
    }
    assertThat(aimd.history()).extracting(WindowChange::to).containsExactly(16, 12, 9, 7, 5, 4);
    // And once it is over, the window grows again.
    pass(Duration.ofSeconds(20));
    assertThat(windowAfterRound()).isEqualTo(5);
  }

  @Test
  void atTheFloorACooldownBeginsThoughNothingIsCut() {
    var floored = new Aimd(DEFAULTS.withBounds(4, 4, 8));
    floored.rateLimited(now, Optional.empty(), Optional.empty());
    assertThat(floored.history()).isEmpty();
    floored.acquired(now, 4);
    answer(floored, 4);
    assertThat(floored.window()).isEqualTo(4);
    pass(COOLDOWN);
    floored.acquired(now, 4);
    answer(floored, 4);
    assertThat(floored.history())
        .containsExactly(new WindowChange(now, 4, 5, Reason.STEADY_STATE_UP));
  }

  @Test
  void aLowerMaximumAppliesAtOnceAndAHigherOneMakesRoom() {
    aimd.retune(now, 12);
    assertThat(aimd.history()).containsExactly(new WindowChange(now, 20, 12, Reason.MANUAL));
    assertThat(windowAfterRound()).isEqualTo(12);
    aimd.retune(now, 15);
    assertThat(aimd.window()).isEqualTo(12);
    assertThat(windowAfterRound()).isEqualTo(15);
  }

  @Test
  void aMaximumBelowTheFloorLowersItUntilItIsRaised() {
    aimd.retune(now, 2);
    assertThat(aimd.window()).isEqualTo(2);
    refuse();
    assertThat(aimd.window()).as("the floor is 2 as well").isEqualTo(2);
    aimd.retune(now, 200);
    assertThat(aimd.window()).isEqualTo(4);
    pass(COOLDOWN);
    refuse();
    assertThat(aimd.window()).as("a refusal never raises").isEqualTo(4);
  }

  @Test
  void newSettingsKeepWhatWasLearned() {
    refuse();
    aimd.retune(now, DEFAULTS.withBounds(30, 50, 60).withScaleUpPercent(0.5));
    assertThat(aimd.window()).isEqualTo(30);
    assertThat(windowAfterRound()).as("still cooling").isEqualTo(30);
    pass(COOLDOWN);
    assertThat(windowAfterRound()).as("no slow start, and half of it more").isEqualTo(45);
    assertThat(windowAfterRound()).isEqualTo(60);
  }

  @Test
  void impossibleArgumentsChangeNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> aimd.retune(now, 0))
        .withMessage("`max` must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> aimd.acquired(now, 0))
        .withMessage("`inFlight` must be >= 1, was 0");
    assertThat(windowAfterRound()).isEqualTo(40);
  }

  private void refuse() {
    aimd.rateLimited(now, Optional.empty(), Optional.empty());
  }

  private void pass(Duration duration) {
    now += duration.toNanos();
  }

  private int windowAfterRound() {
    aimd.acquired(now, aimd.window());
    answer(aimd, Math.max(aimd.window(), 4));
    return aimd.window();
  }

  private void answer(Aimd control, int times) {
    for (int i = 0; i < times; i++) {
      control.succeeded(now, false);
    }
  }

  /** One step of steady growth, after a refusal that could cut nothing. */
  private int grownOnceFrom(int window) {
    var control = new Aimd(DEFAULTS.withBounds(window, window, 1_000));
    control.rateLimited(now, Optional.empty(), Optional.empty());
    pass(COOLDOWN);
    control.acquired(now, window);
    answer(control, window);
    return control.window();
  }

  /** How long after a cut with these hints the next one is possible, to the second. */
  private Duration cooldownAfter(Optional<Duration> retryAfter, Optional<Duration> reset) {
    var control = new Aimd(DEFAULTS);
    control.rateLimited(now, retryAfter, reset);
    int seconds = 0;
    while (control.history().size() == 1) {
      seconds++;
      control.rateLimited(
          now + Duration.ofSeconds(seconds).toNanos(), Optional.empty(), Optional.empty());
    }
    return Duration.ofSeconds(seconds);
  }

  private static Optional<Duration> seconds(long seconds) {
    return Optional.of(Duration.ofSeconds(seconds));
  }
}

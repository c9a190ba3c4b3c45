package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HalvingTest {

  private final Halving halving = new Halving(20);
  private long now;

  @Test
  void beginsAtTheMaximumAndNeverExceedsIt() {
    assertThat(new Halving(Halving.DEFAULT_MAX).window()).isEqualTo(4);
    answer(100);
    assertThat(halving.window()).isEqualTo(20);
    assertThat(halving.history()).isEmpty();
  }

  @Test
  void eachRefusalHalvesDownToOne() {
    for (int i = 0; i < 6; i++) {
      now++;
      refuse();
    }
    assertThat(halving.history())
        .containsExactly(
            new WindowChange(1, 20, 10, Reason.RATE_LIMIT),
            new WindowChange(2, 10, 5, Reason.RATE_LIMIT),
            new WindowChange(3, 5, 2, Reason.RATE_LIMIT),
            new WindowChange(4, 2, 1, Reason.RATE_LIMIT));
  }

  @Test
  void neitherRefusalsNorALowQuotaCutBelowTheFloor() {
    var floored = new Halving(20, 3);
    for (int i = 0; i < 6; i++) {
      floored.rateLimited(now, Optional.empty(), Optional.empty());
    }
    floored.quotaSeen(now, 0);
    assertThat(floored.history()).extracting(WindowChange::to).containsExactly(10, 5, 3);
    for (int i = 0; i < 5; i++) {
      floored.succeeded(now, false);
    }
    assertThat(floored.window()).isEqualTo(4);
  }

  @Test
  void anotherFloorLiftsTheWindowAtOnceAndALowerMaximumLowersIt() {
    refuse();
    halving.retune(now, 20, 15);
    assertThat(halving.history().getLast()).isEqualTo(new WindowChange(now, 10, 15, Reason.MANUAL));
    halving.retune(now, 2);
    assertThat(halving.window()).isEqualTo(2);
    refuse();
    assertThat(halving.window()).isEqualTo(2);
  }

  @Test
  void fiveAnswersInARowAddOne() {
    refuse();
    answer(4);
    assertThat(halving.window()).isEqualTo(10);
    answer(1);
    assertThat(halving.history().getLast())
        .isEqualTo(new WindowChange(now, 10, 11, Reason.RECOVERED));
    answer(5 * 9);
    assertThat(halving.window()).isEqualTo(20);
  }

  @Test
  void refusalsAndTransientFailuresBreakTheRow() {
    refuse();
    answer(4);
    halving.transientFailure(now);
    answer(4);
    assertThat(halving.window()).isEqualTo(10);
    refuse();
    answer(4);
    assertThat(halving.window()).isEqualTo(5);
    answer(1);
    assertThat(halving.window()).isEqualTo(6);
  }

  @Test
  void neutralAnswersNeitherCountNorBreakTheRow() {
    refuse();
    answer(4);
    for (int i = 0; i < 10; i++) {
      halving.succeeded(now, true);
    }
    assertThat(halving.window()).isEqualTo(10);
    answer(1);
    assertThat(halving.window()).isEqualTo(11);
  }

  @Test
  void aQuotaThatDropsBelowATenthHalvesOnce() {
    halving.quotaSeen(now, 0.1);
    assertThat(halving.window()).isEqualTo(20);
    halving.quotaSeen(now, 0.0999);
    halving.quotaSeen(now, 0.05);
    halving.quotaSeen(now, 0);
    assertThat(halving.history()).containsExactly(new WindowChange(now, 20, 10, Reason.HEADER));
    halving.quotaSeen(now, 1.2);
    halving.quotaSeen(now, 0.01);
    assertThat(halving.window()).isEqualTo(5);
  }

  @Test
  void aLowQuotaDoesNotBreakTheRow() {
    answer(4);
    halving.quotaSeen(now, 0.05);
    answer(1);
    assertThat(halving.window()).isEqualTo(11);
  }

  @Test
  void aLowerMaximumAppliesAtOnceAndAHigherOneMakesRoom() {
    halving.retune(now, 3);
    assertThat(halving.history()).containsExactly(new WindowChange(now, 20, 3, Reason.MANUAL));
    answer(5);
    assertThat(halving.window()).isEqualTo(3);
    halving.retune(now, 5);
    assertThat(halving.window()).isEqualTo(3);
    answer(10);
    assertThat(halving.window()).isEqualTo(5);
    answer(5);
    assertThat(halving.window()).isEqualTo(5);
  }

  @Test
  void impossibleArgumentsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Halving(0))
        .withMessage("`max` must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> halving.retune(now, -1))
        .withMessage("`max` must be >= 1, was -1");
    for (int floor : new int[] {0, 5}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Halving(4, floor))
          .withMessage("`min` must be from 1 to `max` (4), was " + floor);
    }
    for (double share : new double[] {-0.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> halving.quotaSeen(now, share))
          .withMessage("`remainingShare` must be >= 0, was " + share);
    }
  }

  private void answer(int times) {
    for (int i = 0; i < times; i++) {
      halving.acquired(now, 1);
      halving.succeeded(now, false);
    }
  }

  private void refuse() {
    halving.rateLimited(now, Optional.of(Duration.ofSeconds(20)), Optional.empty());
  }
}

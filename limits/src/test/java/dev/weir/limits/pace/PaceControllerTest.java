package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PaceControllerTest {

  private static final long SECOND = 1_000_000_000L;

  private static PaceController controller(PaceSettings settings) {
    return new PaceController(settings, new SplittableRandom(1), 0);
  }

  private static PaceController controller() {
    return controller(PaceSettings.defaults());
  }

  private static ResponseFacts waitFor(Duration wait) {
    return new ResponseFacts(List.of(), Optional.of(wait), Optional.empty());
  }

  @Test
  void aStatedTierIsTheStartingPoint() {
    PaceController controller =
        controller(new PaceSettings(100, OptionalDouble.of(600), OptionalDouble.empty(), false));
    assertThat(controller.requestRate(0)).isBetween(9.9, 10.1);
  }

  @Test
  void aLongServerWaitHoldsTheScopeAndAShortOneTheRequestAlone() {
    PaceController controller = controller();
    PaceController.Sent first = controller.send(0, Cost.ONE_REQUEST);
    long again =
        controller.refused(
            SECOND / 10, first, waitFor(Duration.ofSeconds(30)), Optional.of(Dimension.REQUESTS));
    assertThat(again).isBetween(30 * SECOND, 33 * SECOND);
    assertThat(controller.waitNanos(SECOND, Cost.ONE_REQUEST)).isBetween(28 * SECOND, 30 * SECOND);

    PaceController other = controller();
    PaceController.Sent sent = other.send(0, Cost.ONE_REQUEST);
    other.refused(
        SECOND / 10, sent, waitFor(Duration.ofSeconds(2)), Optional.of(Dimension.REQUESTS));
    assertThat(other.waitNanos(3 * SECOND, Cost.ONE_REQUEST)).isZero();
  }

  @Test
  void aRefusalThatNamesConcurrencySetsTheWindow() {
    PaceController controller = controller();
    Deque<PaceController.Sent> sent = new ArrayDeque<>();
    for (int i = 0; i < 26; i++) {
      sent.add(controller.send(i * SECOND / 100, Cost.ONE_REQUEST));
    }
    var facts =
        new ResponseFacts(List.of(), Optional.empty(), Optional.of(ResponseFacts.CONCURRENCY));
    controller.refused(SECOND, sent.removeLast(), facts, Optional.empty());
    assertThat(controller.window()).isEqualTo(25);
    assertThat(controller.waitNanos(SECOND, Cost.ONE_REQUEST))
        .isEqualTo(PaceController.UNTIL_ANSWERED);
    controller.answered(2 * SECOND, sent.removeFirst(), Cost.ONE_REQUEST);
    assertThat(controller.waitNanos(2 * SECOND, Cost.ONE_REQUEST)).isZero();
  }

  @Test
  void fourFaultsInARowOpenTheCircuitAndCostNoBackoff() {
    PaceController controller = controller();
    long now = 0;
    for (int i = 0; i < 3; i++) {
      assertThat(controller.failed(now, controller.send(now, Cost.ONE_REQUEST), 1)).isPositive();
    }
    assertThat(controller.failed(now, controller.send(now, Cost.ONE_REQUEST), 1)).isZero();
    assertThat(controller.waitNanos(now, Cost.ONE_REQUEST)).isEqualTo(SECOND);
  }

  @Test
  void settlingTwiceDoesNoHarm() {
    PaceController controller = controller();
    PaceController.Sent sent = controller.send(0, Cost.ONE_REQUEST);
    controller.answered(SECOND, sent, Cost.ONE_REQUEST);
    controller.answered(SECOND, sent, Cost.ONE_REQUEST);
    controller.cancelled(sent);
    assertThat(controller.failed(SECOND, sent, 1)).isZero();
    assertThat(controller.inFlight()).isZero();
  }

  @Test
  void aStrayOverloadOnlyRetriesAndAPatternSlowsDown() {
    PaceController controller =
        controller(
            new PaceSettings(1_000, OptionalDouble.of(6_000), OptionalDouble.empty(), false));
    long now = 0;
    for (int i = 0; i < 500; i++) {
      now += SECOND / 50;
      controller.answered(now, controller.send(now, Cost.ONE_REQUEST), Cost.ONE_REQUEST);
    }
    controller.overloaded(now, controller.send(now, Cost.ONE_REQUEST), ResponseFacts.NONE, 1);
    now += SECOND / 10;
    assertThat(controller.waitNanos(now, Cost.ONE_REQUEST)).isZero();
    for (int i = 0; i < 40; i++) {
      controller.overloaded(now, controller.send(now, Cost.ONE_REQUEST), ResponseFacts.NONE, 1);
    }
    assertThat(controller.waitNanos(now, Cost.ONE_REQUEST)).isPositive();
  }

  @Test
  void impossibleSettingsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new PaceSettings(0, OptionalDouble.empty(), OptionalDouble.empty(), false))
        .withMessage("`maxConnections` must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new PaceSettings(1, OptionalDouble.of(Double.NaN), OptionalDouble.empty(), false))
        .withMessageContaining("`requestsPerMinute` must be > 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Cost(-1, 0))
        .withMessageContaining("tokens must be >= 0");
  }
}

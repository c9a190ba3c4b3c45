package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PaceFlowTest {

  private static final long SECOND = 1_000_000_000L;

  private final PaceFlow flow = new PaceFlow(PaceSettings.defaults(), new SplittableRandom(1), 0);

  private Duration again(Outcome outcome, int attempt) {
    FlowControl.Ticket ticket = flow.send(0, Cost.ONE_REQUEST, attempt);
    return flow.settle(0, ticket, outcome, Cost.ONE_REQUEST) instanceof Decision.Again(var after)
        ? after
        : Duration.ZERO;
  }

  private static ResponseFacts waitFor(Duration wait) {
    return new ResponseFacts(List.of(), Optional.of(wait), Optional.of("requests"));
  }

  @Test
  void aRefusedRequestWaitsAsLongAsTheServerAsksAndALittleLonger() {
    for (int i = 0; i < 20; i++) {
      assertThat(again(new Outcome.RateLimited(waitFor(Duration.ofSeconds(2))), 1))
          .isBetween(Duration.ofSeconds(2), Duration.ofMillis(2_200));
    }
    assertThat(again(new Outcome.RateLimited(waitFor(Duration.ofHours(2))), 1))
        .isBetween(Duration.ofHours(2), Duration.ofMinutes(132));
    assertThat(again(new Outcome.RateLimited(ResponseFacts.NONE), 1)).isZero();
  }

  @Test
  void overloadBacksOffLongerEachTimeUpToAMinute() {
    for (int attempt = 1; attempt < 12; attempt++) {
      double doubled = Math.pow(2, attempt - 1);
      assertThat(again(new Outcome.Overloaded(ResponseFacts.NONE), attempt).toNanos() / 1e9)
          .isBetween(Math.min(60, 0.5 * doubled), Math.min(60.000001, 1.5 * doubled));
    }
    assertThat(again(new Outcome.Overloaded(waitFor(Duration.ofSeconds(30))), 1))
        .isEqualTo(Duration.ofSeconds(30));
    assertThat(again(new Outcome.Overloaded(waitFor(Duration.ofHours(1))), 1))
        .isEqualTo(Duration.ofHours(1));
  }

  @Test
  void aFaultBacksOffUnlessTheProviderIsAway() {
    for (int i = 0; i < 3; i++) {
      assertThat(again(new Outcome.Transient(), 1))
          .isBetween(Duration.ofMillis(500), Duration.ofMillis(1_500));
    }
    assertThat(again(new Outcome.Transient(), 1)).isZero();
    assertThat(flow.waitNanos(0, Cost.ONE_REQUEST)).isEqualTo(SECOND);
    assertThat(flow.binding(0, Cost.ONE_REQUEST)).isEqualTo(Constraint.CIRCUIT);
    assertThat(flow.drainEvents()).contains(new LimitEvent.CircuitOpened());
  }

  @Test
  void aSecondSettlementHasNoEffect() {
    FlowControl.Ticket ticket = flow.send(0, Cost.ONE_REQUEST, 1);
    assertThat(flow.inFlight()).isEqualTo(1);
    flow.settle(SECOND, ticket, new Outcome.Nothing(), Cost.ONE_REQUEST);
    assertThat(flow.settle(SECOND, ticket, new Outcome.Transient(), Cost.ONE_REQUEST))
        .isEqualTo(new Decision.Done());
    assertThat(flow.inFlight()).isZero();
  }

  @Test
  void whatIsWithdrawnWasNeverThere() {
    var tokens = new PaceSettings(100, OptionalDouble.empty(), OptionalDouble.of(60_000), false);
    var paced = new PaceFlow(tokens, new SplittableRandom(1), 0);
    FlowControl.Ticket ticket = paced.send(0, new Cost(60_000, 0), 1);
    assertThat(paced.waitNanos(0, new Cost(100, 0))).isGreaterThan(20 * SECOND);
    paced.withdraw(0, ticket);
    paced.withdraw(0, ticket);
    paced.settle(0, ticket, new Outcome.Transient(), Cost.ONE_REQUEST);
    assertThat(paced.waitNanos(0, new Cost(100, 0))).isZero();
    assertThat(paced.inFlight()).isZero();
  }

  @Test
  void theBoundsCanBeChangedWhileCallsAreInFlight() {
    flow.send(0, Cost.ONE_REQUEST, 1);
    var one = new PaceSettings(1, OptionalDouble.empty(), OptionalDouble.empty(), false);
    assertThat(flow.retune(0, new Mode.Static(1))).isFalse();
    assertThat(flow.retune(0, new Mode.Pace(one))).isTrue();
    assertThat(flow.window()).isEqualTo(1);
    assertThat(flow.waitNanos(SECOND, Cost.ONE_REQUEST)).isEqualTo(FlowControl.UNTIL_ANSWERED);
    assertThat(flow.binding(SECOND, Cost.ONE_REQUEST)).isEqualTo(Constraint.WINDOW);
  }

  @Test
  void startsWhereAnEarlierRunWas() {
    var memory =
        new PaceMemory(
            PaceMemory.VERSION,
            0,
            OptionalDouble.of(50),
            OptionalDouble.empty(),
            OptionalInt.of(7));
    PaceFlow later =
        PaceFlow.remembering(
            PaceSettings.defaults(), Optional.of(memory), 60_000, new SplittableRandom(1), 0);
    assertThat(later.window()).isEqualTo(7);
    assertThat(later.memory(60_000)).contains(memory);
  }
}

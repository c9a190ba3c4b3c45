package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.WindowChange.Reason;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.LimitEvent.LimitLearned;
import dev.weir.limits.event.LimitEvent.QuotaWarning;
import dev.weir.limits.event.LimitEvent.Source;
import dev.weir.limits.event.LimitEvent.WindowChanged;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.pace.Observation.Answered;
import dev.weir.limits.pace.Observation.Cancelled;
import dev.weir.limits.pace.Observation.Failed;
import dev.weir.limits.pace.Observation.Headers;
import dev.weir.limits.pace.Observation.Overloaded;
import dev.weir.limits.pace.Observation.Refused;
import dev.weir.limits.pace.Observation.Retuned;
import dev.weir.limits.pace.Observation.Sent;
import dev.weir.limits.pace.Observation.Unsent;
import dev.weir.limits.pace.Observation.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class PaceControllerTest {

  private static final long SECOND = 1_000_000_000L;
  private static final Cost ONE = Cost.ONE_REQUEST;

  private PaceController controller = new PaceController(PaceSettings.defaults(), 1, 0);
  private long lastId;

  private static PaceSettings stated(int maxConnections, double rpm) {
    return new PaceSettings(maxConnections, OptionalDouble.of(rpm), OptionalDouble.empty(), false);
  }

  private static ResponseFacts facts(Optional<Duration> wait, String limitKind) {
    return new ResponseFacts(List.of(), wait, Optional.of(limitKind));
  }

  private static ResponseFacts requestsLeft(double remaining, double limit) {
    return new ResponseFacts(
        List.of(quota("requests", remaining, limit)), Optional.empty(), Optional.empty());
  }

  private static QuotaSnapshot quota(String name, double remaining, double limit) {
    double reset = (limit - remaining) / limit * 60;
    return new QuotaSnapshot(
        Dimension.REQUESTS,
        name,
        OptionalDouble.of(limit),
        OptionalDouble.of(remaining),
        Optional.of(Reset.in(Duration.ofNanos(Math.round(reset * SECOND)))),
        Optional.empty(),
        1,
        "test");
  }

  private long send(long now) {
    controller.apply(new Sent(now, ++lastId, ONE));
    return lastId;
  }

  private Slice slice(long now) {
    return controller.slice(now, 0, Slice.NO_END);
  }

  private long waitNanos(long now) {
    controller.apply(new Waiting(now, ONE));
    return slice(now).waitNanos(now, ONE);
  }

  private double requestsPerSecond(long now) {
    return slice(now).gates().stream()
        .filter(gate -> gate.constraint() == Constraint.PACE)
        .mapToDouble(Slice.Gate::perSecond)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aStatedTierIsTheStartingPoint() {
    controller = new PaceController(stated(100, 600), 1, 0);
    assertThat(requestsPerSecond(0)).isBetween(9.6, 10.0);
    assertThat(controller.drainEvents())
        .containsExactly(new LimitLearned(Dimension.REQUESTS, 10, Source.STATED));
    assertThat(controller.drainEvents()).isEmpty();
  }

  @Test
  void aLongServerWaitHoldsTheScopeAndAShortOneDoesNot() {
    long id = send(0);
    controller.apply(
        new Refused(SECOND / 10, id, facts(Optional.of(Duration.ofSeconds(30)), "requests")));
    assertThat(waitNanos(SECOND)).isBetween(28 * SECOND, 30 * SECOND);
    assertThat(slice(SECOND).binding(SECOND, ONE)).isEqualTo(Constraint.HOLD);

    controller = new PaceController(PaceSettings.defaults(), 1, 0);
    id = send(0);
    controller.apply(
        new Refused(SECOND / 10, id, facts(Optional.of(Duration.ofSeconds(2)), "requests")));
    assertThat(waitNanos(3 * SECOND)).isZero();
  }

  @Test
  void aServerWaitIsObeyedHoweverLong() {
    Duration asked = Duration.ofHours(1);
    controller.apply(new Refused(SECOND / 10, send(0), facts(Optional.of(asked), "requests")));
    assertThat(waitNanos(SECOND)).isBetween(3_598 * SECOND, 3_600 * SECOND);
  }

  private static ResponseFacts violation(String quotaId, Optional<String> wait) {
    BodyHints hints = BodyHints.NONE.withViolation(new BodyHints.Violation(quotaId, "50"));
    return ResponseFactsParser.parse(
        Map.of(), wait.map(hints::withRetryDelay).orElse(hints), Instant.EPOCH);
  }

  @Test
  void aQuotaOfADayThatIsUsedUpHoldsTheScope() {
    String perDay = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    controller.apply(new Refused(SECOND / 10, send(0), violation(perDay, Optional.of("45.8s"))));
    assertThat(waitNanos(SECOND)).isBetween(898 * SECOND, 900 * SECOND);
    assertThat(slice(SECOND).binding(SECOND, ONE)).isEqualTo(Constraint.HOLD);
    // It says nothing about a rate.
    assertThat(controller.state().requests().episodes()).isZero();

    controller = new PaceController(PaceSettings.defaults(), 1, 0);
    controller.apply(new Refused(SECOND / 10, send(0), violation(perDay, Optional.of("3600s"))));
    assertThat(waitNanos(SECOND)).isBetween(3_598 * SECOND, 3_600 * SECOND);

    controller = new PaceController(PaceSettings.defaults(), 1, 0);
    String perMinute = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
    controller.apply(new Refused(SECOND / 10, send(0), violation(perMinute, Optional.empty())));
    assertThat(waitNanos(SECOND)).isLessThan(60 * SECOND);
  }

  @Test
  void aDaysQuotaIsWaitedForNoLongerThanItsReset() {
    for (int reset : new int[] {120, 80_000}) {
      controller = new PaceController(PaceSettings.defaults(), 1, 0);
      var daily =
          new QuotaSnapshot(
              Dimension.REQUESTS,
              "requests",
              OptionalDouble.of(1_000),
              OptionalDouble.of(0),
              Optional.of(Reset.in(Duration.ofSeconds(reset))),
              Optional.of(Duration.ofDays(1)),
              1,
              "test");
      var facts = new ResponseFacts(List.of(daily), Optional.empty(), Optional.empty());
      controller.apply(new Refused(0, send(0), facts));
      double held = Math.min(reset, 900);
      assertThat(controller.state().holdUntil()).isEqualTo(held);
    }
  }

  @Test
  void aRefusalThatNamesConcurrencySetsTheWindow() {
    for (int i = 0; i < 26; i++) {
      send(i * SECOND / 100);
    }
    controller.apply(
        new Refused(SECOND, lastId, facts(Optional.empty(), ResponseFacts.CONCURRENCY)));
    assertThat(slice(SECOND).window()).isEqualTo(25);
    assertThat(waitNanos(SECOND)).isEqualTo(Slice.UNTIL_ANSWERED);
    assertThat(slice(SECOND).binding(SECOND, ONE)).isEqualTo(Constraint.WINDOW);
    assertThat(controller.drainEvents()).containsExactly(new WindowChanged(64, 25, Reason.CAP));

    assertThat(waitNanos(22 * SECOND)).isZero();
    assertThat(controller.drainEvents()).containsExactly(new WindowChanged(25, 26, Reason.PROBE));
    controller.apply(new Answered(23 * SECOND, 1, ONE));
    assertThat(slice(23 * SECOND).inFlight()).isEqualTo(24);
  }

  @Test
  void fourFaultsInARowOpenTheCircuitUntilAnAnswer() {
    for (int i = 0; i < 4; i++) {
      assertThat(slice(0).probing()).isFalse();
      controller.apply(new Failed(0, send(0)));
    }
    assertThat(slice(0).probing()).isTrue();
    assertThat(waitNanos(0)).isEqualTo(SECOND);
    assertThat(slice(0).binding(0, ONE)).isEqualTo(Constraint.CIRCUIT);
    controller.apply(new Answered(2 * SECOND, send(SECOND), ONE));
    assertThat(slice(2 * SECOND).probing()).isFalse();
    assertThat(controller.drainEvents())
        .containsExactly(new LimitEvent.CircuitOpened(), new LimitEvent.CircuitClosed());
  }

  @Test
  void endingTwiceOrWithoutABeginningDoesNoHarm() {
    long id = send(0);
    controller.apply(new Sent(0, id, ONE));
    assertThat(slice(0).inFlight()).isEqualTo(1);
    controller.apply(new Answered(SECOND, id, ONE));
    controller.apply(new Answered(SECOND, id, ONE));
    PaceState state = controller.state();
    controller.apply(new Cancelled(SECOND, id));
    controller.apply(new Failed(SECOND, id));
    controller.apply(new Refused(SECOND, id, ResponseFacts.NONE));
    controller.apply(new Overloaded(SECOND, id, ResponseFacts.NONE));
    controller.apply(new Headers(SECOND, 77, requestsLeft(1, 10)));
    assertThat(controller.state()).isEqualTo(state);
  }

  private static final Cost BIG = new Cost(30_000, 30_000);
  private static final Cost SMALL = new Cost(100, 0);

  private long waitNanos(long now, Cost cost) {
    controller.apply(new Waiting(now, cost));
    return slice(now).waitNanos(now, cost);
  }

  @Test
  void whatNeverLeftLeavesNoTrace() {
    controller =
        new PaceController(
            new PaceSettings(100, OptionalDouble.of(6), OptionalDouble.of(60_000), false), 1, 0);
    controller.apply(new Sent(0, 1, BIG));
    assertThat(waitNanos(0, SMALL)).isGreaterThan(20 * SECOND);
    controller.apply(new Unsent(0, 1));
    controller.apply(new Unsent(0, 1));
    assertThat(slice(0).inFlight()).isZero();
    assertThat(waitNanos(0, SMALL)).isZero();
    PaceState state = controller.state();
    assertThat(state.sent()).isEmpty();
    assertThat(state.requests().evidence().sentUnits()).isZero();
    assertThat(state.tokens().evidence().sends()).isEmpty();
    assertThat(state.guard().first()).isEmpty();
    assertThat(new PaceController(state).state()).isEqualTo(state);
  }

  @Test
  void anAdvertisedQuotaGetsBackWhatNeverLeft() {
    controller.apply(new Headers(0, send(0), requestsLeft(5, 600)));
    double left = slice(0).buckets().getFirst().level();
    long first = send(SECOND / 10);
    send(2 * SECOND / 10);
    controller.apply(new Unsent(3 * SECOND / 10, first));
    assertThat(slice(3 * SECOND / 10).buckets().getFirst().level()).isBetween(left - 1, left + 3);
    controller.apply(new Headers(3 * SECOND / 10, lastId, requestsLeft(6, 600)));
    assertThat(slice(3 * SECOND / 10).buckets().getFirst().level()).isBetween(6.0, 8.0);
  }

  @Test
  void aCorrectionOutlivesWhatNeverLeft() {
    long first = send(0);
    long second = send(SECOND);
    controller.apply(new Refused(SECOND, first, facts(Optional.empty(), "requests")));
    long wait = slice(SECOND).waitNanos(SECOND, ONE);
    assertThat(wait).isPositive();
    controller.apply(new Unsent(SECOND, second));
    assertThat(slice(SECOND).waitNanos(SECOND, ONE)).isBetween(wait - SECOND / 2, wait);
  }

  @Test
  void whatFailedHasUsedARequestButNoTokens() {
    for (boolean overloaded : new boolean[] {true, false}) {
      controller =
          new PaceController(
              new PaceSettings(100, OptionalDouble.of(60), OptionalDouble.of(60_000), false), 1, 0);
      controller.apply(new Sent(0, 1, BIG));
      assertThat(waitNanos(0, SMALL)).isGreaterThan(20 * SECOND);
      controller.apply(overloaded ? new Overloaded(0, 1, ResponseFacts.NONE) : new Failed(0, 1));
      assertThat(waitNanos(0, SMALL)).isBetween(SECOND / 4, 11 * SECOND / 10);
    }
  }

  /** The provider may have counted it. */
  @Test
  void whatWasCancelledOnItsWayIsNotGivenBack() {
    controller =
        new PaceController(
            new PaceSettings(100, OptionalDouble.empty(), OptionalDouble.of(60_000), false), 1, 0);
    controller.apply(new Sent(0, 1, BIG));
    long wait = waitNanos(0, SMALL);
    controller.apply(new Cancelled(0, 1));
    assertThat(waitNanos(0, SMALL)).isEqualTo(wait).isGreaterThan(20 * SECOND);
  }

  @Test
  void aProbeThatNeverLeftMakesRoomForAnother() {
    for (int i = 0; i < 4; i++) {
      controller.apply(new Failed(0, send(0)));
    }
    long probe = send(SECOND);
    assertThat(waitNanos(SECOND)).isPositive();
    controller.apply(new Unsent(SECOND, probe));
    assertThat(waitNanos(SECOND)).isZero();
  }

  @Test
  void aStrayOverloadOnlyRetriesAndAPatternSlowsDown() {
    controller = new PaceController(stated(1_000, 6_000), 1, 0);
    long now = 0;
    for (int i = 0; i < 500; i++) {
      now += SECOND / 50;
      controller.apply(new Answered(now, send(now), ONE));
    }
    controller.apply(new Overloaded(now, send(now), ResponseFacts.NONE));
    now += SECOND / 10;
    assertThat(waitNanos(now)).isZero();
    for (int i = 0; i < 40; i++) {
      controller.apply(new Overloaded(now, send(now), ResponseFacts.NONE));
    }
    assertThat(waitNanos(now)).isPositive();
  }

  /** Both are advertised each time; the newest that became known is not the one that binds. */
  @Test
  void ofTwoQuotasOfRequestsTheLowerIsAnnounced() {
    for (int i = 0; i < 60; i++) {
      // Forty a second, of which ten come back, and twenty.
      long now = i * SECOND / 40;
      controller.apply(
          new Headers(
              now,
              send(now),
              new ResponseFacts(
                  List.of(
                      quota("requests", 599 - i * 3 / 4, 600),
                      quota("project-requests", 1_199 - i / 2, 1_200)),
                  Optional.empty(),
                  Optional.empty())));
    }
    List<Double> learned =
        controller.drainEvents().stream()
            .filter(LimitLearned.class::isInstance)
            .map(event -> ((LimitLearned) event).perSecond())
            .toList();
    assertThat(learned.getLast()).isBetween(9.0, 10.5);
    assertThat(learned.subList(learned.indexOf(learned.getLast()), learned.size()))
        .allSatisfy(rate -> assertThat(rate).isLessThan(10.5));
  }

  @Test
  void headersAreLearnedFromAndLittleQuotaIsToldOnce() {
    for (int i = 0; i < 20; i++) {
      // Twenty a second, of which half come back.
      long now = i * SECOND / 20;
      controller.apply(new Headers(now, send(now), requestsLeft(599 - i / 2, 600)));
    }
    List<LimitEvent> learned = controller.drainEvents();
    assertThat(learned).noneMatch(QuotaWarning.class::isInstance);
    assertThat(learned)
        .filteredOn(LimitLearned.class::isInstance)
        .map(LimitLearned.class::cast)
        .last()
        .satisfies(
            limit -> {
              assertThat(limit.source()).isEqualTo(Source.HEADER);
              assertThat(limit.perSecond()).isBetween(9.0, 10.5);
            });
    controller.apply(new Headers(SECOND, send(SECOND), requestsLeft(59, 600)));
    assertThat(controller.drainEvents())
        .filteredOn(QuotaWarning.class::isInstance)
        .containsExactly(new QuotaWarning(Dimension.REQUESTS, 59, 600));
    controller.apply(new Headers(2 * SECOND, send(2 * SECOND), requestsLeft(70, 600)));
    controller.apply(new Headers(3 * SECOND, send(3 * SECOND), requestsLeft(40, 600)));
    assertThat(controller.drainEvents()).noneMatch(QuotaWarning.class::isInstance);
    controller.apply(new Headers(4 * SECOND, send(4 * SECOND), requestsLeft(130, 600)));
    controller.apply(new Headers(5 * SECOND, send(5 * SECOND), requestsLeft(40, 600)));
    assertThat(controller.drainEvents()).filteredOn(QuotaWarning.class::isInstance).hasSize(1);
    assertThat(slice(5 * SECOND).buckets()).hasSize(1);
  }

  @Test
  void loweringTheWindowEndsNothingThatIsUnderWay() {
    for (int i = 0; i < 20; i++) {
      send(0);
    }
    controller.apply(
        new Retuned(
            SECOND, new PaceSettings(5, OptionalDouble.empty(), OptionalDouble.empty(), false)));
    assertThat(slice(SECOND).inFlight()).isEqualTo(20);
    assertThat(slice(SECOND).window()).isEqualTo(5);
    assertThat(waitNanos(SECOND)).isEqualTo(Slice.UNTIL_ANSWERED);
    assertThat(controller.drainEvents()).containsExactly(new WindowChanged(64, 5, Reason.MANUAL));
  }

  @Test
  void aNewlyStatedRateRestartsThePaceThere() {
    long id = send(0);
    controller.apply(new Refused(SECOND, id, facts(Optional.empty(), "requests")));
    long late = send(2 * SECOND);
    controller.apply(new Retuned(3 * SECOND, stated(100, 3_000)));
    assertThat(requestsPerSecond(3 * SECOND)).isBetween(48.0, 50.0);
    assertThat(waitNanos(3 * SECOND)).isZero();
    // It left before: it says nothing about the new rate.
    controller.apply(new Refused(4 * SECOND, late, facts(Optional.empty(), "requests")));
    assertThat(requestsPerSecond(4 * SECOND)).isBetween(48.0, 50.0);
    // What is stated is the most, however long nothing is refused.
    load(4 * SECOND, 10 * SECOND);
    assertThat(requestsPerSecond(10 * SECOND)).isBetween(48.0, 50.0);
    controller.apply(new Retuned(10 * SECOND, stated(10, 6_000)));
    assertThat(requestsPerSecond(10 * SECOND)).isBetween(96.0, 100.0);
  }

  @Test
  void aRememberedRateIsForgottenOnceMuchMoreWasLetThrough() {
    var memory =
        new PaceMemory(
            PaceMemory.VERSION,
            0,
            OptionalDouble.of(1 / 0.8),
            OptionalDouble.empty(),
            OptionalInt.empty());
    controller = new PaceController(PaceSettings.defaults(), Optional.of(memory), 0, 1, 0);
    int sent = load(0, 5 * SECOND);
    assertThat(sent).isGreaterThan(50);
    long refused = send(5 * SECOND);
    controller.apply(new Refused(6 * SECOND, refused, facts(Optional.empty(), "requests")));
    assertThat(requestsPerSecond(6 * SECOND)).isGreaterThan(5);
  }

  @Test
  void aPaceGrowsOnlyWhileRequestsWaitForIt() {
    var memory =
        new PaceMemory(
            PaceMemory.VERSION,
            0,
            OptionalDouble.of(1 / 0.8),
            OptionalDouble.empty(),
            OptionalInt.empty());
    controller = new PaceController(PaceSettings.defaults(), Optional.of(memory), 0, 1, 0);
    load(0, 1_500 * SECOND / 1_000);
    // It is refused above what was remembered, so that still holds.
    long refused = send(1_500 * SECOND / 1_000);
    controller.apply(new Refused(8 * SECOND, refused, facts(Optional.empty(), "requests")));
    assertThat(requestsPerSecond(8 * SECOND)).isBetween(1.2, 1.3);
    load(8 * SECOND, 18 * SECOND);
    assertThat(requestsPerSecond(18 * SECOND)).isBetween(1.2, 1.3);
    // Nobody is there for ten minutes: nothing has been proven.
    int sent = load(610 * SECOND, 620 * SECOND);
    assertThat(sent).isBetween(12, 15);
    assertThat(requestsPerSecond(620 * SECOND)).isBetween(1.2, 1.3);
    // A trickle below it proves no more.
    for (long now = 620 * SECOND; now < 1_000 * SECOND; now += 2 * SECOND) {
      assertThat(waitNanos(now)).isLessThan(2 * SECOND);
      controller.apply(new Answered(now, send(now), ONE));
    }
    assertThat(requestsPerSecond(1_000 * SECOND)).isBetween(1.2, 1.3);
    // Load that is never refused does, and not without bound in one step.
    load(1_000 * SECOND, 1_030 * SECOND);
    assertThat(requestsPerSecond(1_030 * SECOND)).isBetween(1.2, 2.0);
    load(1_030 * SECOND, 1_150 * SECOND);
    assertThat(requestsPerSecond(1_150 * SECOND)).isBetween(1.5, 64.0);
  }

  /** Somebody waits all the time, and is answered at once. */
  private int load(long from, long until) {
    int sent = 0;
    for (long now = from; now < until; now += SECOND / 1_000) {
      if (waitNanos(now) == 0) {
        controller.apply(new Answered(now, send(now), ONE));
        sent++;
      }
    }
    return sent;
  }

  /** A scope may be as fast as it likes: what is kept of it stays bounded. */
  @Test
  void aVeryFastScopeDoesNotFillTheMemory() {
    for (int i = 0; i < 50_000; i++) {
      controller.apply(new Answered(i * 1_000L + 1, send(i * 1_000L), ONE));
    }
    PaceState state = controller.state();
    assertThat(state.requests().evidence().sends()).hasSize(20_000);
    assertThat(state.tokens().evidence().sends()).hasSize(20_000);
    assertThat(state.guard().answeredAt()).hasSize(20_000);
    assertThat(state.sent()).hasSizeLessThanOrEqualTo(20_000);
    assertThat(state.overload().sent()).hasSizeLessThanOrEqualTo(20_000);
  }

  @Test
  void nobodyNeedsToListen() {
    for (int i = 0; i < 1_000; i++) {
      controller.apply(new Retuned(i, stated(100 + i, 100 + i)));
    }
    List<LimitEvent> events = controller.drainEvents();
    assertThat(events).hasSizeBetween(100, 300);
    assertThat(events).contains(new LimitLearned(Dimension.REQUESTS, 1_099 / 60.0, Source.STATED));
  }

  /** A clock may start anywhere; only differences count. */
  @Test
  void theOriginOfTimeDoesNotMatter() {
    for (long origin : new long[] {0, -3_600 * SECOND, 1_000_000 * SECOND}) {
      controller = new PaceController(PaceSettings.defaults(), 1, origin);
      assertThat(waitNanos(origin)).isZero();
      for (int i = 0; i < 64; i++) {
        send(origin);
      }
      assertThat(waitNanos(origin)).as("origin %d", origin).isEqualTo(Slice.UNTIL_ANSWERED);
      assertThat(slice(origin).window()).isEqualTo(64);
      controller.apply(new Refused(origin + SECOND, lastId, facts(Optional.empty(), "requests")));
      assertThat(slice(origin + SECOND).binding(origin + SECOND, ONE)).isEqualTo(Constraint.PACE);
    }
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
        .withMessageContaining("tokens must be from 0 to");
  }
}

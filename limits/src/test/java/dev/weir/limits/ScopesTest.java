package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The path of a request: all calls, account, family, model. */
class ScopesTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);
  private static final Mode WIDE = new Mode.Static(100);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  private Lane lane(String account, String model, Mode mode) {
    return regulator.lane(LimitKey.of("openai", account, model), mode, RetryBounds.NONE);
  }

  private static Attempt<String> ending(Outcome outcome) {
    return _ -> new Attempt.Result<>(outcome, Cost.ONE_REQUEST, "said");
  }

  private static Outcome noCredit() {
    return new Outcome.Terminal(Outcome.Reach.ACCOUNT, "the account has no credit left");
  }

  @Test
  void whoeverAsksForTheSameKeyGetsTheSameLane() {
    assertThat(lane("one", "gpt", WIDE)).isSameAs(lane("one", "gpt", WIDE));
    assertThat(lane("one", "gpt", WIDE)).isNotSameAs(lane("two", "gpt", WIDE));
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                regulator.lane(
                    LimitKey.of("openai", "one", "gpt"),
                    WIDE,
                    new RetryBounds(OptionalInt.of(1), Optional.empty(), Optional.empty())));
    assertThatIllegalStateException()
        .isThrownBy(() -> lane("one", "gpt", new Mode.Static(1)))
        .withMessageContaining("openai@one/gpt");
  }

  /** A slash in a name must not make the limits of one account those of another. */
  @Test
  void differentKeysNeverShareAScope() {
    List<LimitKey> keys =
        List.of(
            LimitKey.of("openrouter", "", "anthropic/claude"),
            LimitKey.of("openrouter", "anthropic", "claude"),
            LimitKey.of("openrouter/anthropic", "", "claude"),
            LimitKey.of("openrouter@anthropic", "", "claude"),
            LimitKey.of("openrouter%2Fanthropic", "", "claude"));
    assertThat(keys.stream().map(LimitKey::modelScope).distinct()).hasSize(keys.size());
    assertThat(keys.stream().map(LimitKey::accountScope).distinct()).hasSize(keys.size());
  }

  @Test
  void aTerminalFailureStopsItsAccountAndNobodyElse() throws Exception {
    Lane failing = lane("one", "gpt", new Mode.Static(1));
    Lane sibling = lane("one", "mini", WIDE);
    Lane other = lane("two", "gpt", WIDE);
    time.run(
        () -> {
          Permit held = failing.acquire(DEMAND);
          Task<Permit> waiting = time.start("waiting", () -> failing.acquire(DEMAND));
          time.sleep(Duration.ofSeconds(1));
          held.settle(noCredit(), Cost.ONE_REQUEST);
          time.sleep(Duration.ofSeconds(1));
          assertThat(waiting.isDone()).isTrue();
          assertThatExceptionOfType(dev.weir.time.TaskFailedException.class)
              .isThrownBy(waiting::join)
              .withCauseInstanceOf(StoppedException.class);
          assertThatExceptionOfType(StoppedException.class)
              .isThrownBy(() -> sibling.call(DEMAND, ending(new Outcome.Clean())))
              .withMessage("openai@one is stopped: the account has no credit left");
          assertThat(other.call(DEMAND, ending(new Outcome.Clean())).value()).isEqualTo("said");

          assertThat(regulator.resume("openai@one")).isTrue();
          assertThat(regulator.resume("openai@one")).isFalse();
          assertThat(sibling.call(DEMAND, ending(new Outcome.Clean())).value()).isEqualTo("said");
        });
    assertThat(failing.status()).isEqualTo(new Lane.Status(0, 1, 0, 0, 0));
  }

  @Test
  void aTerminalFailureOfAModelStopsThatModelOnly() throws Exception {
    Lane gone = lane("one", "gone", WIDE);
    Lane sibling = lane("one", "mini", WIDE);
    time.run(
        () -> {
          var notFound = new Outcome.Terminal(Outcome.Reach.MODEL, "no such model");
          assertThat(gone.call(DEMAND, ending(notFound)).outcome()).isEqualTo(notFound);
          assertThatExceptionOfType(StoppedException.class)
              .isThrownBy(() -> gone.acquire(DEMAND))
              .satisfies(stopped -> assertThat(stopped.scope()).isEqualTo("openai@one/gone"));
          assertThat(sibling.tryAcquire(DEMAND)).isPresent();
        });
  }

  @Test
  void aRequestThatBacksOffLearnsThatItsAccountIsStopped() throws Exception {
    Lane lane = lane("one", "gpt", WIDE);
    time.run(
        () -> {
          Task<Call<String>> refused =
              time.start("refused", () -> lane.call(DEMAND, ending(new Outcome.Transient())));
          time.sleep(Duration.ofSeconds(1));
          lane.acquire(DEMAND).settle(noCredit(), Cost.ONE_REQUEST);
          long stoppedAt = time.nanos();
          assertThatExceptionOfType(dev.weir.time.TaskFailedException.class)
              .isThrownBy(refused::join)
              .withCauseInstanceOf(StoppedException.class);
          assertThat(time.nanos()).isEqualTo(stoppedAt);
        });
    assertThat(lane.status().backingOff()).isZero();
  }

  /** One is throttled to a request a minute; the others of its account do not notice. */
  @Test
  void aThrottledModelDelaysNoSibling() throws Exception {
    Lane throttled = lane("one", "slow", new Mode.Pace(statedRate(1)));
    Lane sibling = lane("one", "fast", WIDE);
    time.run(
        () -> {
          for (int i = 0; i < 5; i++) {
            time.start("slow-" + i, () -> throttled.call(DEMAND, ending(new Outcome.Clean())));
          }
          time.sleep(Duration.ofSeconds(1));
          assertThat(throttled.status().waiting()).isPositive();
          assertThat(throttled.waitingFor().scope()).isEqualTo("openai@one/slow");
          assertThat(throttled.waitingFor().untilNanos()).isPresent();
          for (int i = 0; i < 50; i++) {
            assertThat(sibling.call(DEMAND, ending(new Outcome.Clean())).times().queued()).isZero();
          }
        });
  }

  @Test
  void modelsOfOneFamilyShareOnePace() throws Exception {
    var mode = new Mode.Pace(statedRate(60));
    Lane large = familyLane("large", mode);
    Lane small = familyLane("small", mode);
    List<Long> starts = new ArrayList<>();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            Lane lane = i % 2 == 0 ? large : small;
            tasks.add(
                time.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              starts.add(time.nanos());
                              return new Attempt.Result<>(
                                  new Outcome.Clean(), Cost.ONE_REQUEST, "said");
                            })));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    // Sixty a minute for both together: the tenth comes some eight seconds after the first.
    assertThat(starts).hasSize(10);
    assertThat(Duration.ofNanos(starts.getLast()))
        .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(11));
    assertThat(large.status().inFlight()).isZero();
  }

  @Test
  void anAccountCanBeBounded() throws Exception {
    regulator.boundAccount("openai", "one", 3);
    Lane first = lane("one", "gpt", WIDE);
    Lane second = lane("one", "mini", WIDE);
    Lane other = lane("two", "gpt", WIDE);
    time.run(
        () -> {
          Permit one = first.acquire(DEMAND);
          first.acquire(DEMAND);
          second.acquire(DEMAND);
          assertThat(second.tryAcquire(DEMAND)).isEmpty();
          assertThat(other.tryAcquire(DEMAND)).isPresent();
          try (Reservation reserved = second.reserve(DEMAND)) {
            assertThat(reserved.waitingFor())
                .isEqualTo(
                    new Waiting(Constraint.WINDOW, "openai@one", java.util.OptionalLong.empty()));
            one.close();
            assertThat(reserved.poll()).isPresent();
          }
        });
  }

  @Test
  void maxConcurrencyCanBeRaisedWhileCallsWait() throws Exception {
    var bounded = new Regulator(time, OptionalInt.of(1), Duration.ZERO, new SplittableRandom(1));
    Lane lane = bounded.lane("sim/test", WIDE);
    time.run(
        () -> {
          lane.acquire(DEMAND);
          Task<Permit> waiting = time.start("waiting", () -> lane.acquire(DEMAND));
          time.sleep(Duration.ofSeconds(1));
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.MAX_CONCURRENCY);
          bounded.retune(OptionalInt.of(2), Duration.ZERO);
          waiting.join();
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(1));
        });
  }

  @Test
  void callsThatWaitAreHeldAndThenGoInTurn() throws Exception {
    var bounded = new Regulator(time, OptionalInt.of(2), Duration.ZERO, new SplittableRandom(1));
    Lane lane = bounded.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          Permit first = lane.acquire(DEMAND);
          Task<Permit> waiting = time.start("waiting", () -> lane.acquire(DEMAND));
          time.sleep(Duration.ofSeconds(1));
          bounded.hold(true);
          first.close();
          time.sleep(Duration.ofMinutes(1));
          assertThat(waiting.isDone()).isFalse();
          assertThat(lane.tryAcquire(DEMAND)).isEmpty();
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.PAUSE);
          // A bound that is changed meanwhile lets nothing go.
          bounded.retune(OptionalInt.of(5), Duration.ZERO);
          time.sleep(Duration.ofSeconds(1));
          assertThat(waiting.isDone()).isFalse();
          bounded.hold(false);
          waiting.join();
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(62));
        });
  }

  private Lane familyLane(String model, Mode mode) {
    return regulator.lane(
        new LimitKey("anthropic", "one", Optional.of("opus-4"), model), mode, RetryBounds.NONE);
  }

  private static PaceSettings statedRate(double perMinute) {
    return new PaceSettings(100, OptionalDouble.of(perMinute), OptionalDouble.empty(), false);
  }
}

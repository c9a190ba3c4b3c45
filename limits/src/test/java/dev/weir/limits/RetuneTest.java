package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.control.WindowChange.Reason;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
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
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bounds and modes change while calls are in flight. */
class RetuneTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  private static ResponseFacts requestsLeft(double remaining, Optional<Duration> serverWait) {
    return new ResponseFacts(
        List.of(
            new QuotaSnapshot(
                Dimension.REQUESTS,
                "requests",
                OptionalDouble.of(100),
                OptionalDouble.of(remaining),
                Optional.empty(),
                Optional.empty(),
                1,
                "test")),
        serverWait,
        Optional.empty());
  }

  @Test
  void loweringTakesNoPermitBackAndGrantsNoneUntilThereIsRoom() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(4));
    List<Notice> told = new ArrayList<>();
    time.run(
        () -> {
          try (var _ = regulator.subscribe(told::add)) {
            List<Permit> held = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
              held.add(lane.acquire(DEMAND));
            }
            lane.retune(new Mode.Static(2));
            assertThat(lane.status().inFlight()).isEqualTo(4);
            held.removeFirst().close();
            held.removeFirst().close();
            assertThat(lane.tryAcquire(DEMAND)).isEmpty();
            held.removeFirst().close();
            assertThat(lane.tryAcquire(DEMAND)).isPresent();
          }
        });
    assertThat(told)
        .extracting(Notice::event)
        .containsExactly(new LimitEvent.WindowChanged(4, 2, Reason.MANUAL));
  }

  @Test
  void raisingWakesThoseWhoWait() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          lane.acquire(DEMAND);
          Task<Permit> waiting = time.start("waiting", () -> lane.acquire(DEMAND));
          time.sleep(Duration.ofSeconds(1));
          lane.retune(new Mode.Static(2));
          waiting.join();
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(1));
        });
  }

  /** What left under the old mode still counts in the new one. */
  @Test
  void anotherModeCountsWhatIsInFlight() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(10));
    List<Mode> modes =
        List.of(
            new Mode.Aimd(AimdSettings.defaults().withBounds(1, 3, 3)),
            new Mode.Halving(3),
            new Mode.Pace(
                new PaceSettings(3, OptionalDouble.empty(), OptionalDouble.empty(), false)));
    time.run(
        () -> {
          for (Mode mode : modes) {
            lane.retune(new Mode.Static(10));
            List<Permit> held = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
              held.add(lane.acquire(DEMAND));
            }
            lane.retune(mode);
            assertThat(lane.mode()).isEqualTo(mode);
            held.removeFirst().close();
            held.removeFirst().close();
            assertThat(lane.tryAcquire(DEMAND)).as("in %s", mode).isEmpty();
            held.removeFirst().close();
            Permit granted = lane.tryAcquire(DEMAND).orElseThrow();
            assertThat(lane.tryAcquire(DEMAND)).as("in %s", mode).isEmpty();
            held.forEach(Permit::close);
            granted.close();
          }
        });
  }

  @Test
  void aRequestThatBacksOffTriesAtOnceAfterARetune() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(2));
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Task<Call<String>> refused =
              time.start("refused", () -> lane.call(DEMAND, _ -> refusedOnce(attempts)));
          time.sleep(Duration.ofSeconds(1));
          assertThat(lane.status().backingOff()).isEqualTo(1);
          lane.retune(new Mode.Static(3));
          assertThat(refused.join().value()).isEqualTo("answer");
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(1));
        });
  }

  /** A place kept under aimd is worth nothing once the mode has changed, and is not lost. */
  @Test
  void aKeptPlaceDoesNotOutliveItsMode() throws Exception {
    Lane lane =
        regulator.lane("sim/test", new Mode.Aimd(AimdSettings.defaults().withBounds(1, 1, 1)));
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Task<Call<String>> refused =
              time.start("refused", () -> lane.call(DEMAND, _ -> refusedOnce(attempts)));
          time.sleep(Duration.ofSeconds(1));
          lane.retune(new Mode.Static(1));
          assertThat(refused.join().value()).isEqualTo("answer");
          assertThat(lane.status()).isEqualTo(new Lane.Status(0, 1, 0, 0, 1));
          lane.acquire(DEMAND).close();
        });
  }

  @Test
  void aRefilledQuotaWakesTheRequestsThatItSufficesForInModePace() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Pace(PaceSettings.defaults()));
    time.run(
        () -> {
          List<Task<Call<String>>> refused = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            var attempts = new AtomicInteger();
            refused.add(
                time.start("refused", () -> lane.call(DEMAND, _ -> quotaRanOutOnce(attempts))));
            time.sleep(Duration.ofSeconds(5));
          }
          Permit other = lane.acquire(DEMAND);
          int before = lane.status().backingOff();
          assertThat(before).isPositive();
          other.observe(requestsLeft(1, Optional.empty()));
          time.sleep(Duration.ofMillis(1));
          assertThat(lane.status().backingOff()).isEqualTo(before - 1);
          other.close();
          for (Task<Call<String>> task : refused) {
            assertThat(task.join().value()).isEqualTo("answer");
          }
        });
  }

  /** A refusal with quota left has another cause, which a header does not take away. */
  @Test
  void aRefusalThatTheQuotaDoesNotExplainKeepsItsWait() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(10));
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Task<Call<String>> refused =
              time.start(
                  "refused",
                  () ->
                      lane.call(
                          DEMAND,
                          _ ->
                              attempts.getAndIncrement() == 0
                                  ? refusal(requestsLeft(50, Optional.of(Duration.ofMinutes(1))))
                                  : answer()));
          time.sleep(Duration.ofSeconds(1));
          lane.acquire(DEMAND).observe(requestsLeft(60, Optional.empty()));
          time.sleep(Duration.ofSeconds(1));
          assertThat(refused.isDone()).isFalse();
          refused.join();
        });
  }

  private static Attempt.Result<String> quotaRanOutOnce(AtomicInteger attempts) {
    return attempts.getAndIncrement() == 0
        ? refusal(requestsLeft(0, Optional.of(Duration.ofMinutes(1))))
        : answer();
  }

  private static Attempt.Result<String> refusedOnce(AtomicInteger attempts) {
    return attempts.getAndIncrement() == 0 ? refusal(ResponseFacts.NONE) : answer();
  }

  private static Attempt.Result<String> refusal(ResponseFacts facts) {
    return new Attempt.Result<>(new Outcome.RateLimited(facts), Cost.ONE_REQUEST, "no");
  }

  private static Attempt.Result<String> answer() {
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
  }

  /** The window of an earlier mode must not go on bounding a model whose family regulates it. */
  @Test
  void aFamilyTakesOverAgainFromAFixedWindow() throws Exception {
    var pace =
        new Mode.Pace(
            new PaceSettings(100, OptionalDouble.of(60_000), OptionalDouble.empty(), false));
    Lane lane =
        regulator.lane(
            new LimitKey("anthropic", "one", Optional.of("opus-4"), "large"),
            pace,
            RetryBounds.NONE);
    time.run(
        () -> {
          lane.retune(new Mode.Static(2));
          lane.retune(pace);
          for (int i = 0; i < 8; i++) {
            lane.acquire(DEMAND);
          }
          assertThat(lane.status().inFlight()).isEqualTo(8);
          assertThat(Duration.ofNanos(time.nanos())).isLessThan(Duration.ofSeconds(1));
        });
  }

  @Test
  void whatIsWaitedForIsKnownAfterAChangeOfMode() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(4));
    time.run(
        () -> {
          for (int i = 0; i < 4; i++) {
            lane.acquire(DEMAND);
          }
          lane.retune(new Mode.Halving(2));
          try (Reservation waiting = lane.reserve(DEMAND)) {
            assertThat(waiting.poll()).isEmpty();
            assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.WINDOW);
            assertThat(lane.status().inFlight()).isEqualTo(4);
          }
        });
  }
}

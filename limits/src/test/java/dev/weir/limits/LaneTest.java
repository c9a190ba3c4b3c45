package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.Demand.Standing;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  private Lane lane(int window) {
    return regulator.lane("sim/test", new Mode.Static(window));
  }

  private static Attempt.Result<String> clean(String value) {
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, value);
  }

  private static Attempt.Result<String> refused(Optional<Duration> serverWait) {
    var facts = new ResponseFacts(List.of(), serverWait, Optional.empty());
    return new Attempt.Result<>(new Outcome.RateLimited(facts), Cost.ONE_REQUEST, "no");
  }

  private Attempt<String> taking(Duration duration, String value) {
    return _ -> {
      time.sleep(duration);
      return clean(value);
    };
  }

  @Test
  void neverMoreInFlightThanTheWindowAndAlwaysAsMany() throws Exception {
    Lane lane = lane(4);
    var inFlight = new AtomicInteger();
    var most = new AtomicInteger();
    time.run(
        () -> {
          List<Task<?>> callers = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            callers.add(
                time.start(
                    "caller-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                              time.sleep(Duration.ofSeconds(1));
                              inFlight.decrementAndGet();
                              return clean("answer");
                            })));
          }
          for (Task<?> caller : callers) {
            caller.join();
          }
        });
    assertThat(most).hasValue(4);
    assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(5));
    assertThat(lane.status()).isEqualTo(new Lane.Status(0, 4, 0, 0, 0));
  }

  @Test
  void refusedAttemptsAreMadeAgainAfterTheServersWait() throws Exception {
    Lane lane = lane(1);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ -> {
                    time.sleep(Duration.ofSeconds(2));
                    return attempts.incrementAndGet() < 3
                        ? refused(Optional.of(Duration.ofSeconds(20)))
                        : clean("answer");
                  });
          assertThat(call.value()).isEqualTo("answer");
          assertThat(call.attempts()).isEqualTo(3);
          assertThat(call.times().failed()).isEqualTo(Duration.ofSeconds(4));
          assertThat(call.times().called()).isEqualTo(Duration.ofSeconds(2));
          assertThat(call.times().queued()).isZero();
          assertThat(call.times().backedOff())
              .isBetween(Duration.ofSeconds(40), Duration.ofSeconds(44));
        });
    assertThat(lane.status().retries()).isEqualTo(2);
  }

  /** What is displayed while a run goes on is what its table and log say in the end. */
  @Test
  void aRetryCountsOnceItIsSent() throws Exception {
    Lane lane = lane(1);
    time.run(
        () -> {
          Task<Call<String>> refused =
              time.start(
                  "refused",
                  () -> lane.call(DEMAND, _ -> refused(Optional.of(Duration.ofSeconds(20)))));
          time.sleep(Duration.ofSeconds(10));
          assertThat(lane.status().backingOff()).isEqualTo(1);
          assertThat(lane.status().retries()).isZero();
          time.sleep(Duration.ofSeconds(15));
          assertThat(lane.status().retries()).isEqualTo(1);
          refused.cancel();
          refused.join(Time.NEVER);
        });
    assertThat(lane.status().retries()).isEqualTo(1);
  }

  @Test
  void aRequestThatWaitsForAnotherAttemptHoldsNoPermit() throws Exception {
    Lane lane = lane(1);
    time.run(
        () -> {
          Task<Call<String>> refused = time.start("refused", () -> refusedOnce(lane));
          time.sleep(Duration.ofMillis(1));
          Call<String> other = lane.call(DEMAND, taking(Duration.ofSeconds(1), "soon"));
          assertThat(other.value()).isEqualTo("soon");
          assertThat(refused.isDone()).isFalse();
          assertThat(lane.status().backingOff()).isEqualTo(1);
          assertThat(refused.join().value()).isEqualTo("late");
        });
  }

  @Test
  void inAimdARefusedRequestKeepsItsPlace() throws Exception {
    Lane lane =
        regulator.lane("sim/test", new Mode.Aimd(AimdSettings.defaults().withBounds(1, 1, 1)));
    time.run(
        () -> {
          Task<Call<String>> refused = time.start("refused", () -> refusedOnce(lane));
          time.sleep(Duration.ofMillis(1));
          Call<String> other = lane.call(DEMAND, taking(Duration.ofSeconds(1), "soon"));
          assertThat(refused.isDone()).isTrue();
          assertThat(other.times().queued()).isGreaterThan(Duration.ofSeconds(3));
        });
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void aKeptPlaceIsGivenUpWithItsRequest() throws Exception {
    Lane lane =
        regulator.lane("sim/test", new Mode.Aimd(AimdSettings.defaults().withBounds(1, 1, 1)));
    time.run(
        () -> {
          Task<Call<String>> refused = time.start("refused", () -> refusedOnce(lane));
          time.sleep(Duration.ofSeconds(1));
          refused.cancel();
          refused.join(Time.NEVER);
          assertThat(lane.status().inFlight()).isZero();
          assertThat(lane.call(DEMAND, taking(Duration.ZERO, "next")).value()).isEqualTo("next");
        });
  }

  private static Call<String> refusedOnce(Lane lane) throws InterruptedException {
    var first = new AtomicInteger();
    return lane.call(
        DEMAND, _ -> first.getAndIncrement() == 0 ? refused(Optional.empty()) : clean("late"));
  }

  @Test
  void terminalFailuresEndTheRequest() throws Exception {
    Lane lane = lane(1);
    var refusal = new Outcome.Terminal(Outcome.Reach.REQUEST, "the prompt is too long");
    time.run(
        () -> {
          Call<String> call =
              lane.call(DEMAND, _ -> new Attempt.Result<>(refusal, Cost.ONE_REQUEST, "too long"));
          assertThat(call.value()).isEqualTo("too long");
          assertThat(call.outcome()).isEqualTo(refusal);
          assertThat(call.attempts()).isEqualTo(1);
          assertThat(call.gaveUp()).isEmpty();
        });
  }

  @Test
  void halvingGivesUpAfterThreeRetries() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Halving(4));
    time.run(
        () -> {
          Call<String> call = lane.call(DEMAND, _ -> refused(Optional.empty()));
          assertThat(call.attempts()).isEqualTo(4);
          assertThat(call.gaveUp()).contains("3 retries were not enough");
          assertThat(call.times().backedOff()).isEqualTo(Duration.ofSeconds(7));
        });
  }

  @Test
  void halvingKeepsToItsFloorAndTakesAnotherOneWhileItRuns() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Halving(8, 3));
    time.run(
        () -> {
          lane.call(DEMAND, _ -> refused(Optional.empty()));
          assertThat(lane.status().window()).isEqualTo(3);
          lane.retune(new Mode.Halving(8, 5));
          assertThat(lane.status().window()).isEqualTo(5);
        });
  }

  @Test
  void anAttemptThatThrowsGivesItsPermitBack() throws Exception {
    Lane lane = lane(1);
    time.run(
        () ->
            assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              throw new IllegalStateException("broken adapter");
                            })));
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void aDeadlineEndsTheWaitForAPermitAndForAnotherAttempt() throws Exception {
    Lane lane = lane(1);
    time.run(
        () -> {
          Task<?> holder =
              time.start("holder", () -> lane.call(DEMAND, taking(Duration.ofSeconds(60), "x")));
          time.sleep(Duration.ofSeconds(1));
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(() -> lane.acquire(DEMAND.until(time.after(Duration.ofSeconds(5)))))
              .withMessageContaining("sim/test");
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(6));
          assertThat(lane.status().waiting()).isZero();
          holder.join();
          long before = time.nanos();
          Call<String> call =
              lane.call(
                  DEMAND.until(time.after(Duration.ofSeconds(2))), _ -> refused(Optional.empty()));
          assertThat(call.gaveUp()).contains("the next attempt would come after the deadline");
          assertThat(call.attempts()).isEqualTo(1);
          assertThat(time.nanos()).isEqualTo(before);
          assertThat(lane.status().inFlight()).isZero();
        });
  }

  @Test
  void tryAcquireNeverWaitsAndNeverOvertakes() throws Exception {
    Lane lane = lane(1);
    time.run(
        () -> {
          Permit permit = lane.tryAcquire(DEMAND).orElseThrow();
          assertThat(lane.tryAcquire(DEMAND)).isEmpty();
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.NOTHING);
          assertThat(lane.waitingFor(DEMAND).constraint()).isEqualTo(Constraint.WINDOW);
          permit.close();
          permit.close();
          assertThat(lane.status().inFlight()).isZero();
          assertThat(lane.tryAcquire(DEMAND)).isPresent();
        });
  }

  @Test
  void aPacedLaneWaitsWithoutHoldingAnybodyUp() throws Exception {
    var slow =
        new PaceSettings(
            100, java.util.OptionalDouble.of(60), java.util.OptionalDouble.empty(), false);
    Lane paced = regulator.lane("sim/paced", new Mode.Pace(slow));
    Lane free = lane(10);
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            tasks.add(
                time.start("paced-" + i, () -> paced.call(DEMAND, taking(Duration.ZERO, "p"))));
          }
          long before = time.nanos();
          free.call(DEMAND, taking(Duration.ofMillis(1), "f"));
          assertThat(Duration.ofNanos(time.nanos() - before)).isEqualTo(Duration.ofMillis(1));
          for (Task<?> task : tasks) {
            task.join();
          }
          assertThat(Duration.ofNanos(time.nanos()))
              .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(11));
        });
  }

  @Test
  void maxConcurrencyBoundsAllLanesTogetherAndServesThemInTurn() throws Exception {
    var bounded = new Regulator(time, OptionalInt.of(2), Duration.ZERO, new SplittableRandom(1));
    Lane one = bounded.lane("one", new Mode.Static(10));
    Lane two = bounded.lane("two", new Mode.Static(10));
    var inFlight = new AtomicInteger();
    List<String> order = new ArrayList<>();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            Lane lane = i < 10 ? one : two;
            String name = i < 10 ? "one" : "two";
            tasks.add(
                time.start(
                    "caller-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              assertThat(inFlight.incrementAndGet()).isLessThanOrEqualTo(2);
                              order.add(name);
                              time.sleep(Duration.ofSeconds(1));
                              inFlight.decrementAndGet();
                              return clean("x");
                            })));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(10));
    assertThat(order.subList(2, 12)).contains("one", "two");
  }

  @Test
  void delayKeepsStartsApart() throws Exception {
    var delayed =
        new Regulator(time, OptionalInt.empty(), Duration.ofMillis(250), new SplittableRandom(1));
    Lane lane = delayed.lane("one", new Mode.Static(10));
    List<Long> starts = new ArrayList<>();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            tasks.add(
                time.start(
                    "caller-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              starts.add(time.nanos() / 1_000_000);
                              time.sleep(Duration.ofSeconds(2));
                              return clean("x");
                            })));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    assertThat(starts).containsExactly(0L, 250L, 500L, 750L, 1_000L);
  }

  @Test
  void flowsShareByWeightAndUrgentStandingsGoFirstWithinThem() throws Exception {
    Lane lane = lane(1);
    List<String> order = new ArrayList<>();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          Permit first = lane.acquire(DEMAND);
          for (int i = 0; i < 8; i++) {
            tasks.add(
                queued(
                    lane,
                    order,
                    "heavy",
                    new Demand("heavy", 3, Standing.NEW, Cost.ONE_REQUEST, Time.NEVER)));
            tasks.add(
                queued(
                    lane,
                    order,
                    "light",
                    new Demand("light", 1, Standing.NEW, Cost.ONE_REQUEST, Time.NEVER)));
          }
          var heavy = new Demand("heavy", 3, Standing.NEW, Cost.ONE_REQUEST, Time.NEVER);
          tasks.add(queued(lane, order, "begun", heavy.with(Standing.IN_PROGRESS)));
          tasks.add(queued(lane, order, "retry", heavy.with(Standing.RETRY)));
          time.sleep(Duration.ofMillis(1));
          first.close();
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    // Whatever is urgent in a flow, another one has its turns.
    assertThat(order.subList(0, 8).stream().filter("light"::equals)).hasSize(2);
    assertThat(order.stream().filter(name -> !name.equals("light")))
        .startsWith("retry", "begun", "heavy")
        .hasSize(10);
  }

  @Test
  void nobodyStarvesBehindMoreUrgentRequests() throws Exception {
    Lane lane = lane(1);
    List<String> order = new ArrayList<>();
    time.run(
        () -> {
          Permit first = lane.acquire(DEMAND);
          Task<?> patient = queued(lane, order, "new", DEMAND);
          Task<?> stream =
              time.start(
                  "stream",
                  () -> {
                    for (int i = 0; i < 100; i++) {
                      queued(lane, order, "retry", DEMAND.with(Standing.RETRY));
                      time.sleep(Duration.ofSeconds(1));
                    }
                  });
          first.close();
          patient.join();
          assertThat(Duration.ofNanos(time.nanos())).isLessThan(Duration.ofSeconds(70));
          stream.join();
        });
  }

  private Task<?> queued(Lane lane, List<String> order, String name, Demand demand) {
    return time.start(
        name,
        () ->
            lane.call(
                demand,
                _ -> {
                  order.add(name);
                  time.sleep(Duration.ofSeconds(1));
                  return clean(name);
                }));
  }

  /** Random arrivals and cancellations: no permit is lost, none is granted beyond the window. */
  @Test
  void cancelledWaitersLeaveNoTrace() throws Exception {
    for (long seed = 0; seed < 300; seed++) {
      var random = new SplittableRandom(seed);
      VirtualTime history = VirtualTime.seeded(seed);
      int window = 1 + random.nextInt(4);
      Lane lane =
          Regulator.unbounded(history, random.split()).lane("sim/test", new Mode.Static(window));
      history.run(
          () -> {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
              long arrival = random.nextLong(1_000);
              long hold = random.nextLong(400);
              tasks.add(
                  history.start(
                      "task-" + i,
                      () -> {
                        history.sleepUntil(arrival);
                        Permit permit = lane.acquire(DEMAND);
                        try {
                          assertThat(lane.status().inFlight()).isLessThanOrEqualTo(window);
                          history.sleepUntil(history.nanos() + hold);
                        } finally {
                          permit.close();
                          // A permit closed twice must not make room for two.
                          permit.close();
                        }
                      }));
            }
            for (int i = 0; i < 15; i++) {
              history.sleepUntil(history.nanos() + random.nextLong(150));
              tasks.get(random.nextInt(tasks.size())).cancel();
            }
            for (Task<?> task : tasks) {
              task.join(Time.NEVER);
            }
          });
      assertThat(lane.status()).as("seed %d", seed).isEqualTo(new Lane.Status(0, window, 0, 0, 0));
    }
  }

  @Test
  void impossibleSettingsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Mode.Static(0))
        .withMessageContaining("must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Demand("x", 0, Standing.NEW, Cost.ONE_REQUEST, Time.NEVER))
        .withMessageContaining("`weight` must be from 0.001 to 1000.0");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new Regulator(time, OptionalInt.of(0), Duration.ZERO, new SplittableRandom(1)))
        .withMessageContaining("`maxConcurrency` must be >= 1");
  }
}

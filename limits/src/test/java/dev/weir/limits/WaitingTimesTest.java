package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whether the wait for a permit is told as queueing or as pacing. */
class WaitingTimesTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);

  /** Calls of a second each that all begin at once. */
  private List<Call.Times> calls(int count, int window, Duration delay) throws Exception {
    return time.run(
        () -> {
          var regulator = new Regulator(time, OptionalInt.empty(), delay, new SplittableRandom(1));
          Lane lane = regulator.lane("some/model", new Mode.Static(window));
          List<Task<Call<String>>> tasks = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            tasks.add(
                time.start(
                    "caller-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              time.sleep(Duration.ofSeconds(1));
                              return new Attempt.Result<>(
                                  new Outcome.Clean(), Cost.ONE_REQUEST, "");
                            })));
          }
          List<Call.Times> times = new ArrayList<>();
          for (Task<Call<String>> task : tasks) {
            times.add(task.join().times());
          }
          return times;
        });
  }

  /** Each call is waited for by those behind it, but time passes once. */
  @Test
  void aLaneMeasuresForHowLongItsNextRequestWaitedForWhat() throws Exception {
    List<Held> held =
        time.run(
            () -> {
              var regulator =
                  new Regulator(time, OptionalInt.empty(), Duration.ZERO, new SplittableRandom(1));
              Lane lane = regulator.lane("some/model", new Mode.Static(1));
              assertThat(lane.held()).isEmpty();
              lane.measureHeld();
              List<Task<?>> tasks = new ArrayList<>();
              for (int i = 0; i < 4; i++) {
                tasks.add(time.start("caller-" + i, () -> lane.call(DEMAND, _ -> aSecond())));
              }
              for (Task<?> task : tasks) {
                task.join();
              }
              time.sleep(Duration.ofMinutes(1));
              lane.limitTo(new RateCeiling(OptionalDouble.of(6), OptionalDouble.empty()));
              lane.call(DEMAND, _ -> aSecond());
              lane.call(DEMAND, _ -> aSecond());
              time.sleep(Duration.ofMinutes(1));
              return lane.held();
            });
    assertThat(held)
        .containsExactlyInAnyOrder(
            new Held(Constraint.WINDOW, Optional.empty(), Duration.ofSeconds(3)),
            new Held(Constraint.PACE, Optional.of(Dimension.REQUESTS), Duration.ofSeconds(9)));
  }

  private Attempt.Result<String> aSecond() throws InterruptedException {
    time.sleep(Duration.ofSeconds(1));
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, "");
  }

  /** A run that is ended early tells what its requests had done by then, too. */
  @Test
  void aRequestThatIsTakenBackTellsWhereItsTimeWent() throws Exception {
    CallInterruptedException takenBack =
        time.run(
            () -> {
              var regulator =
                  new Regulator(time, OptionalInt.empty(), Duration.ZERO, new SplittableRandom(1));
              Lane lane = regulator.lane("some/model", new Mode.Static(1));
              var attempts = new AtomicInteger();
              Task<CallInterruptedException> caller =
                  time.start(
                      "caller",
                      () -> {
                        try {
                          lane.call(DEMAND, _ -> failsOnceThenHangs(attempts));
                          throw new AssertionError("nobody answered");
                        } catch (CallInterruptedException expected) {
                          return expected;
                        }
                      });
              time.sleep(Duration.ofMinutes(10));
              caller.cancel();
              return caller.join();
            });
    assertThat(takenBack.attempts()).isEqualTo(2);
    Call.Times times = takenBack.times();
    assertThat(times.failed()).isEqualTo(Duration.ofSeconds(1));
    assertThat(times.backedOff()).isPositive();
    assertThat(times.failed().plus(times.backedOff()).plus(times.called()))
        .isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void aRequestThatIsTooLateTellsIt() throws Exception {
    DeadlinePassedException late =
        time.run(
            () -> {
              var regulator =
                  new Regulator(time, OptionalInt.empty(), Duration.ZERO, new SplittableRandom(1));
              Lane lane = regulator.lane("some/model", new Mode.Static(1));
              var attempts = new AtomicInteger();
              long until = time.after(Duration.ofMinutes(10));
              try {
                lane.call(DEMAND.until(until), _ -> failsOnceThenHangs(attempts));
                throw new AssertionError("nobody answered");
              } catch (DeadlinePassedException expected) {
                return expected;
              }
            });
    assertThat(late.attempts()).isEqualTo(2);
    Call.Times times = late.times();
    assertThat(times.failed().plus(times.backedOff()).plus(times.called()))
        .isEqualTo(Duration.ofMinutes(10));
  }

  private Attempt.Result<String> failsOnceThenHangs(AtomicInteger attempts)
      throws InterruptedException {
    boolean isFirst = attempts.getAndIncrement() == 0;
    time.sleep(isFirst ? Duration.ofSeconds(1) : Duration.ofHours(1));
    return new Attempt.Result<>(new Outcome.Transient(), Cost.ONE_REQUEST, "");
  }

  @Test
  void aFullWindowIsAQueue() throws Exception {
    assertThat(calls(3, 1, Duration.ZERO))
        .extracting(Call.Times::queued)
        .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
    assertThat(calls(3, 1, Duration.ZERO))
        .extracting(Call.Times::paced)
        .containsOnly(Duration.ZERO);
  }

  @Test
  void aWaitForTheTimeIsPacing() throws Exception {
    assertThat(calls(4, 10, Duration.ofMillis(250)))
        .extracting(Call.Times::paced)
        .containsExactly(
            Duration.ZERO, Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofMillis(750));
    assertThat(calls(4, 10, Duration.ofMillis(250)))
        .extracting(Call.Times::queued)
        .containsOnly(Duration.ZERO);
  }

  @Test
  void bothAddUpToTheWait() throws Exception {
    // Two at a time, a quarter of a second apart: the third waits for the first to end.
    List<Call.Times> times = calls(4, 2, Duration.ofMillis(250));
    assertThat(times.get(2).queued().plus(times.get(2).paced())).isEqualTo(Duration.ofSeconds(1));
    assertThat(times.get(2).queued()).isPositive();
    assertThat(times.get(2).paced()).isPositive();
    assertThat(times).extracting(Call.Times::called).containsOnly(Duration.ofSeconds(1));
  }
}

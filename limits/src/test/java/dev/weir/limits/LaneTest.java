package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final Outcome CLEAN = new Outcome.Clean();

  private final VirtualTime time = VirtualTime.seeded(1);

  private Lane lane(int window) {
    return new Lane(time, new Limiter(time, "sim/test", window), new SplittableRandom(1));
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
                            () -> {
                              most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                              time.sleep(Duration.ofSeconds(1));
                              inFlight.decrementAndGet();
                              return new Attempt.Result<>(CLEAN, "answer");
                            })));
          }
          for (Task<?> caller : callers) {
            caller.join();
          }
        });
    assertThat(most).hasValue(4);
    assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(5));
    assertThat(lane.status()).isEqualTo(new Lane.Status(0, 4, 0, 0));
  }

  @Test
  void refusedAttemptsAreMadeAgainAfterTheServersWait() throws Exception {
    Lane lane = lane(1);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Call<String> call =
              lane.call(
                  () -> {
                    time.sleep(Duration.ofSeconds(2));
                    return attempts.incrementAndGet() < 3
                        ? new Attempt.Result<>(
                            new Outcome.RateLimited(Optional.of(Duration.ofSeconds(20))), "no")
                        : new Attempt.Result<>(CLEAN, "answer");
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

  @Test
  void aRequestThatWaitsForAnotherAttemptHoldsNoPermit() throws Exception {
    Lane lane = lane(1);
    time.run(
        () -> {
          var first = new AtomicInteger();
          Task<Call<String>> refused =
              time.start(
                  "refused",
                  () ->
                      lane.call(
                          () ->
                              first.getAndIncrement() == 0
                                  ? new Attempt.Result<>(new Outcome.Transient(), "no")
                                  : new Attempt.Result<>(CLEAN, "late")));
          Call<String> other =
              lane.call(
                  () -> {
                    time.sleep(Duration.ofSeconds(1));
                    return new Attempt.Result<>(CLEAN, "soon");
                  });
          assertThat(other.value()).isEqualTo("soon");
          assertThat(refused.isDone()).isFalse();
          assertThat(refused.join().value()).isEqualTo("late");
        });
  }

  @Test
  void terminalFailuresEndTheRequest() throws Exception {
    Lane lane = lane(1);
    time.run(
        () -> {
          Call<String> call =
              lane.call(() -> new Attempt.Result<>(new Outcome.Terminal(), "no credit"));
          assertThat(call.value()).isEqualTo("no credit");
          assertThat(call.outcome()).isEqualTo(new Outcome.Terminal());
          assertThat(call.attempts()).isEqualTo(1);
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
                            () -> {
                              throw new IllegalStateException("broken adapter");
                            })));
    assertThat(lane.status().inFlight()).isZero();
  }

  /** Random arrivals and cancellations: no permit is lost, none is granted beyond the window. */
  @Test
  void cancelledWaitersLeaveNoTrace() throws Exception {
    for (long seed = 0; seed < 300; seed++) {
      var random = new SplittableRandom(seed);
      VirtualTime history = VirtualTime.seeded(seed);
      int window = 1 + random.nextInt(4);
      var limiter = new Limiter(history, "sim/test", window);
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
                        Permit permit = limiter.acquire();
                        try {
                          assertThat(limiter.inFlight()).isLessThanOrEqualTo(window);
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
      assertThat(limiter.inFlight()).as("seed %d", seed).isZero();
      assertThat(limiter.waiting()).as("seed %d", seed).isZero();
    }
  }

  @Test
  void aWindowNeedsRoomForOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Limiter(time, "sim/test", 0))
        .withMessage("`window` must be >= 1, was 0");
  }
}

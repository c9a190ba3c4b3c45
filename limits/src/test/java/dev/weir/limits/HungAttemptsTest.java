package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts that are silent for longer than answers take. */
class HungAttemptsTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);
  private static final RetryBounds AUTO = RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO);
  private static final Duration FOREVER = Duration.ofDays(100);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  private Lane lane(RetryBounds bounds) {
    return regulator.lane(LimitKey.named("sim/test"), new Mode.Static(2_000), bounds);
  }

  private Attempt.Result<String> answerAfter(Duration latency) throws InterruptedException {
    time.sleep(latency);
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
  }

  private void answers(Lane lane, int count, Duration latency) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      lane.call(DEMAND, _ -> answerAfter(latency));
    }
  }

  @Test
  void anAttemptThatHangsIsAbandonedAndMadeAgain() throws Exception {
    Lane lane = lane(AUTO);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          answers(lane, 20, Duration.ofSeconds(2));
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ ->
                      answerAfter(
                          attempts.incrementAndGet() < 3 ? FOREVER : Duration.ofSeconds(2)));
          assertThat(call.attempts()).isEqualTo(3);
          assertThat(call.gaveUp()).isEmpty();
          // The first was an observation: 5 times 60 s is the bound then, and this request's twice.
          assertThat(call.abandoned())
              .containsExactly(Duration.ofSeconds(60), Duration.ofMinutes(10));
        });
    assertThat(lane.status().abandoned()).isEqualTo(2);
    assertThat(lane.status().abandonedAfter()).isEqualTo(Duration.ofMinutes(10));
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void beforeTwentyAnswersItIsTenMinutes() throws Exception {
    Lane lane = lane(AUTO);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ ->
                      answerAfter(
                          attempts.incrementAndGet() < 2 ? FOREVER : Duration.ofSeconds(2)));
          assertThat(call.abandoned()).containsExactly(Duration.ofMinutes(10));
        });
  }

  /** It hangs from the start; 20 others have answered after 40 s, and after 90 s. */
  @ParameterizedTest
  @ValueSource(ints = {40, 90})
  void anEarlyHangEndsAsSoonAsOthersHaveAnswered(int seconds) throws Exception {
    Lane lane = lane(AUTO);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Task<Call<String>> hung =
              time.start(
                  "hung",
                  () ->
                      lane.call(
                          DEMAND,
                          _ ->
                              answerAfter(
                                  attempts.incrementAndGet() == 1
                                      ? FOREVER
                                      : Duration.ofSeconds(1))));
          List<Task<?>> others = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            var latency = Duration.ofSeconds(i < 19 ? 10 : 1);
            var begin = Duration.ofSeconds(i < 19 ? 1 : seconds - 1);
            others.add(
                time.start(
                    "other-" + i,
                    () -> {
                      time.sleep(begin);
                      return lane.call(DEMAND, _ -> answerAfter(latency));
                    }));
          }
          for (Task<?> other : others) {
            other.join();
          }
          assertThat(hung.join().abandoned())
              .containsExactly(Duration.ofSeconds(Math.max(seconds, 60)));
        });
  }

  @Test
  void anAnswerThatHasBegunToArriveDoesNotHang() throws Exception {
    Lane lane = lane(AUTO);
    time.run(
        () -> {
          answers(lane, 20, Duration.ofSeconds(2));
          Call<String> call =
              lane.call(
                  DEMAND,
                  permit -> {
                    time.sleep(Duration.ofSeconds(30));
                    permit.observe(ResponseFacts.NONE);
                    return answerAfter(Duration.ofHours(3));
                  });
          assertThat(call.attempts()).isEqualTo(1);
        });
    assertThat(lane.status().abandoned()).isZero();
  }

  @Test
  void kindsOfRequestsHaveTheirOwnBounds() throws Exception {
    Lane lane = lane(AUTO);
    Demand grading = DEMAND.with(new Demand.Kind("grader", false));
    Demand reasoning = DEMAND.with(new Demand.Kind("high", true));
    var attempts = new AtomicInteger();
    Attempt<String> hangsOnce =
        _ -> answerAfter(attempts.getAndIncrement() % 2 == 0 ? FOREVER : Duration.ofSeconds(2));
    time.run(
        () -> {
          answers(lane, 20, Duration.ofSeconds(2));
          assertThat(lane.call(grading, hangsOnce).abandoned())
              .containsExactly(Duration.ofMinutes(10));
          for (int i = 0; i < 20; i++) {
            lane.call(reasoning, _ -> answerAfter(Duration.ofSeconds(2)));
          }
          assertThat(lane.call(reasoning, hangsOnce).abandoned())
              .containsExactly(Duration.ofMinutes(10));
          assertThat(lane.call(DEMAND, hangsOnce).abandoned())
              .containsExactly(Duration.ofSeconds(60));
        });
  }

  @Test
  void aRequestThatAlwaysHangsEndsWithItsRetries() throws Exception {
    Lane lane =
        lane(
            new RetryBounds(OptionalInt.of(2), Optional.empty(), Optional.empty())
                .withAttemptTimeout(AttemptTimeout.AUTO));
    time.run(
        () ->
            assertThatExceptionOfType(DeadlinePassedException.class)
                .isThrownBy(() -> lane.call(DEMAND, _ -> answerAfter(FOREVER)))
                .withMessageContaining("2 retries were not enough"));
    assertThat(Duration.ofNanos(time.nanos())).isGreaterThan(Duration.ofMinutes(70));
  }

  /** As if the attempt were made by the caller itself: it has ended when the caller has. */
  @Test
  void aCallThatIsCancelledEndsItsAttemptFirst() throws Exception {
    Lane lane = lane(AUTO);
    List<String> order = new ArrayList<>();
    time.run(
        () -> {
          Task<?> task =
              time.start(
                  "call",
                  () -> {
                    try {
                      return lane.call(
                          DEMAND,
                          _ -> {
                            try {
                              return answerAfter(FOREVER);
                            } finally {
                              order.add("attempt");
                            }
                          });
                    } finally {
                      order.add("caller");
                    }
                  });
          time.sleep(Duration.ofSeconds(1));
          task.cancel();
          task.join(time.after(Duration.ofMinutes(1)));
        });
    assertThat(order).containsExactly("attempt", "caller");
    assertThat(lane.status().inFlight()).isZero();
  }

  /** One in a hundred takes 25 minutes each time, the others about two seconds. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void slowAnswersArriveAfterAFewAbandonedAttempts(long seed) throws Exception {
    VirtualTime clock = VirtualTime.seeded(seed);
    Lane lane =
        Regulator.unbounded(clock, new SplittableRandom(seed))
            .lane(LimitKey.named("sim/slow"), new Mode.Pace(PaceSettings.defaults()), AUTO);
    var random = new SplittableRandom(seed);
    List<Call<String>> calls = new ArrayList<>();
    clock.run(
        () -> {
          List<Task<Call<String>>> tasks = new ArrayList<>();
          for (int i = 0; i < 2_000; i++) {
            boolean isSlow = random.nextInt(100) == 0;
            Duration latency =
                isSlow ? Duration.ofMinutes(25) : Duration.ofMillis(random.nextInt(500, 4_000));
            tasks.add(
                clock.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              clock.sleep(latency);
                              return new Attempt.Result<>(
                                  new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
                            })));
          }
          for (Task<Call<String>> task : tasks) {
            calls.add(task.join());
          }
        });
    assertThat(calls)
        .as("seed %d", seed)
        .allSatisfy(
            call -> {
              assertThat(call.gaveUp()).isEmpty();
              assertThat(call.abandoned()).hasSizeLessThanOrEqualTo(6);
            });
    assertThat(calls).anySatisfy(call -> assertThat(call.abandoned()).isNotEmpty());
    assertThat(lane.status().abandoned()).isLessThan(150);
  }

  /** So many of a hundred attempts hang for good; a retry is answered like any other. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 3", "4, 10"})
  void aRunWithHungAttemptsEndsSoon(long seed, int percent) throws Exception {
    VirtualTime clock = VirtualTime.seeded(seed);
    Lane lane =
        Regulator.unbounded(clock, new SplittableRandom(seed))
            .lane(LimitKey.named("sim/hang"), new Mode.Pace(PaceSettings.defaults()), AUTO);
    var random = new SplittableRandom(seed);
    clock.run(
        () -> {
          List<Task<Call<String>>> tasks = new ArrayList<>();
          for (int i = 0; i < 2_000; i++) {
            tasks.add(
                clock.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              clock.sleep(
                                  random.nextInt(100) < percent
                                      ? FOREVER
                                      : Duration.ofMillis(random.nextInt(500, 4_000)));
                              return new Attempt.Result<>(
                                  new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
                            })));
          }
          for (Task<Call<String>> task : tasks) {
            assertThat(task.join().value()).isEqualTo("answer");
          }
        });
    assertThat(Duration.ofNanos(clock.nanos()))
        .as("seed %d", seed)
        .isLessThan(Duration.ofMinutes(percent < 10 ? 10 : 120));
  }
}

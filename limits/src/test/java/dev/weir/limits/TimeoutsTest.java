package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
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

/** How long a request is tried for. */
class TimeoutsTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();

  private Lane lane(RetryBounds bounds) {
    return regulator.lane(LimitKey.named("sim/test"), new Mode.Static(1), bounds);
  }

  private static RetryBounds bounds(int maxRetries, Duration timeout, Duration attemptTimeout) {
    return new RetryBounds(
        maxRetries < 0 ? OptionalInt.empty() : OptionalInt.of(maxRetries),
        Optional.of(timeout).filter(Duration::isPositive),
        Optional.of(attemptTimeout).filter(Duration::isPositive));
  }

  /** Never answers of itself. */
  private Attempt.Result<String> hang() throws InterruptedException {
    try {
      time.sleep(Duration.ofDays(1));
    } catch (InterruptedException stopped) {
      interrupted.incrementAndGet();
      throw stopped;
    }
    return answer();
  }

  private static Attempt.Result<String> answer() {
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
  }

  private static Attempt.Result<String> fault() {
    return new Attempt.Result<>(new Outcome.Transient(), Cost.ONE_REQUEST, "broken");
  }

  private static Attempt.Result<String> refusal() {
    return new Attempt.Result<>(
        new Outcome.RateLimited(ResponseFacts.NONE), Cost.ONE_REQUEST, "refused");
  }

  @Test
  void theTimeoutInterruptsAnAttemptThatHangs() throws Exception {
    Lane lane = lane(bounds(-1, Duration.ofSeconds(30), Duration.ZERO));
    time.run(
        () -> {
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(() -> lane.call(DEMAND, _ -> hang()))
              .withMessage("the deadline passed while sim/test was answering");
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(30));
        });
    assertThat(interrupted).hasValue(1);
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void theTimeoutCountsWaitingToo() throws Exception {
    Lane lane = lane(bounds(-1, Duration.ofSeconds(30), Duration.ZERO));
    time.run(
        () -> {
          Permit held = lane.acquire(DEMAND);
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(() -> lane.call(DEMAND, _ -> answer()));
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(30));
          held.close();
        });
  }

  @Test
  void anAttemptThatTakesTooLongIsMadeAgain() throws Exception {
    Lane lane = lane(bounds(-1, Duration.ZERO, Duration.ofSeconds(10)));
    time.run(
        () -> {
          Call<String> call =
              lane.call(DEMAND, _ -> attempts.incrementAndGet() < 3 ? hang() : answer());
          assertThat(call.value()).isEqualTo("answer");
          assertThat(call.attempts()).isEqualTo(3);
          assertThat(call.times().failed()).isEqualTo(Duration.ofSeconds(20));
        });
    assertThat(interrupted).hasValue(2);
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void anAttemptThatAlwaysTakesTooLongEndsWithItsRetries() throws Exception {
    Lane lane = lane(bounds(2, Duration.ZERO, Duration.ofSeconds(10)));
    time.run(
        () ->
            assertThatExceptionOfType(DeadlinePassedException.class)
                .isThrownBy(() -> lane.call(DEMAND, _ -> hang()))
                .withMessage(
                    "an attempt at sim/test took longer than its timeout, and 2 retries were not"
                        + " enough"));
    assertThat(interrupted).hasValue(3);
    assertThat(lane.status()).isEqualTo(new Lane.Status(0, 1, 0, 0, 2));
  }

  @Test
  void whatAnAttemptThrowsIsThrownAsItIs() throws Exception {
    Lane lane = lane(bounds(-1, Duration.ofSeconds(30), Duration.ZERO));
    time.run(
        () ->
            assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              throw new IllegalStateException("broken adapter");
                            }))
                .withMessage("broken adapter"));
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void retriesAreUnlimitedUnlessBounded() throws Exception {
    Lane unlimited = regulator.lane("sim/unlimited", new Mode.Static(1));
    Lane once =
        regulator.lane(
            LimitKey.named("sim/once"),
            new Mode.Static(1),
            bounds(1, Duration.ZERO, Duration.ZERO));
    time.run(
        () -> {
          Call<String> patient =
              unlimited.call(DEMAND, _ -> attempts.incrementAndGet() < 30 ? refusal() : answer());
          assertThat(patient.attempts()).isEqualTo(30);
          Call<String> impatient = once.call(DEMAND, _ -> refusal());
          assertThat(impatient.attempts()).isEqualTo(2);
          assertThat(impatient.value()).isEqualTo("refused");
          assertThat(impatient.gaveUp()).contains("1 retry was not enough");
        });
  }

  /** 3 s, doubling, at most 30 minutes: the tenth wait is about 25 minutes. */
  @Test
  void theDocumentedBackoffOfTheTenthRetryIsAboutHalfAnHour() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    List<Long> starts = new ArrayList<>();
    time.run(
        () ->
            lane.call(
                DEMAND,
                _ -> {
                  starts.add(time.nanos());
                  return starts.size() < 13 ? refusal() : answer();
                }));
    assertThat(Duration.ofNanos(starts.get(10) - starts.get(9)))
        .isBetween(Duration.ofMinutes(25), Duration.ofMinutes(26));
    assertThat(Duration.ofNanos(starts.get(12) - starts.get(11))).isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void halvingGivesUpOnAQueueThatDoesNotMove() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Halving(1));
    Lane patient =
        regulator.lane(
            LimitKey.named("sim/patient"),
            new Mode.Halving(1),
            RetryBounds.NONE.withQueueTimeout(Duration.ZERO));
    time.run(
        () -> {
          lane.acquire(DEMAND);
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(() -> lane.acquire(DEMAND))
              .withMessage("the queue timeout passed while a request waited for sim/test");
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofMinutes(5));

          Permit held = patient.acquire(DEMAND);
          var waiting = time.start("patient", () -> patient.acquire(DEMAND));
          time.sleep(Duration.ofMinutes(30));
          assertThat(waiting.isDone()).isFalse();
          held.close();
          waiting.join();
        });
  }

  /** One call holds the window; what comes behind it fails after its time, and leaves no trace. */
  @Test
  void aQueueTimeoutCountsInEveryMode() throws Exception {
    List<Mode> modes =
        List.of(
            new Mode.Static(1),
            new Mode.Aimd(AimdSettings.defaults().withBounds(1, 1, 1)),
            new Mode.Halving(1),
            new Mode.Pace(
                new PaceSettings(1, OptionalDouble.empty(), OptionalDouble.empty(), false)));
    RetryBounds bounds = RetryBounds.NONE.withQueueTimeout(Duration.ofSeconds(20));
    time.run(
        () -> {
          for (Mode mode : modes) {
            String name = "sim/" + mode.word();
            Lane lane = regulator.lane(LimitKey.named(name), mode, bounds);
            Permit held = lane.acquire(DEMAND);
            long began = time.nanos();
            assertThatExceptionOfType(DeadlinePassedException.class)
                .isThrownBy(() -> lane.call(DEMAND, _ -> answer()))
                .withMessage("the queue timeout passed while a request waited for " + name);
            assertThat(Duration.ofNanos(time.nanos() - began)).isEqualTo(Duration.ofSeconds(20));
            assertThat(lane.status().waiting()).isZero();
            held.close();
            assertThat(lane.call(DEMAND, _ -> answer()).attempts()).isEqualTo(1);
          }
        });
  }

  /** The time of the call itself and of its backoff is not spent in the queue. */
  @Test
  void onlyWaitingForATurnCountsForTheQueueTimeout() throws Exception {
    Lane lane = lane(RetryBounds.NONE.withQueueTimeout(Duration.ofSeconds(1)));
    time.run(
        () -> {
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ -> {
                    time.sleep(Duration.ofMinutes(1));
                    return attempts.incrementAndGet() < 3 ? refusal() : answer();
                  });
          assertThat(call.attempts()).isEqualTo(3);
        });
  }

  @Test
  void aChosenBackoffIsTheFirstWaitAfterATransientFailureInEveryMode() throws Exception {
    List<Mode> modes =
        List.of(
            new Mode.Static(1),
            new Mode.Aimd(AimdSettings.defaults()),
            new Mode.Halving(4),
            new Mode.Pace(PaceSettings.defaults()));
    RetryBounds bounds = RetryBounds.NONE.withRequestBackoff(Duration.ofMinutes(2));
    time.run(
        () -> {
          for (Mode mode : modes) {
            Lane lane = regulator.lane(LimitKey.named("sim/" + mode.word()), mode, bounds);
            attempts.set(0);
            Call<String> call =
                lane.call(DEMAND, _ -> attempts.incrementAndGet() < 2 ? fault() : answer());
            assertThat(call.attempts()).as(mode.word()).isEqualTo(2);
            assertThat(call.times().backedOff())
                .as(mode.word())
                .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(4));
          }
        });
  }

  /** Concurrency 1 with a fixed delay: one after the other, in order, the same every time. */
  @Test
  void halvingWithConcurrencyOneAndADelayIsSequential() throws Exception {
    List<String> first = sequentialRun(1);
    assertThat(first)
        .containsExactly(
            "0 at 0 ms", "1 at 1500 ms", "2 at 3000 ms", "3 at 4500 ms", "4 at 6000 ms");
    assertThat(sequentialRun(2)).isEqualTo(first);
    assertThat(sequentialRun(3)).isEqualTo(first);
  }

  private static List<String> sequentialRun(long seed) throws Exception {
    VirtualTime clock = VirtualTime.seeded(seed);
    var delayed =
        new Regulator(
            clock, OptionalInt.of(1), Duration.ofMillis(1_500), new SplittableRandom(seed));
    Lane lane = delayed.lane("sim/test", new Mode.Halving(1));
    List<String> started = new ArrayList<>();
    clock.run(
        () -> {
          List<dev.weir.time.Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            int number = i;
            clock.sleep(Duration.ofNanos(1));
            tasks.add(
                clock.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              started.add(number + " at " + clock.nanos() / 1_000_000 + " ms");
                              clock.sleep(Duration.ofMillis(100 + 300L * number));
                              return answer();
                            })));
          }
          for (var task : tasks) {
            task.join();
          }
        });
    return started;
  }

  @Test
  void nothingIsBegunAfterItsDeadline() throws Exception {
    Lane lane = lane(RetryBounds.NONE);
    time.run(
        () -> {
          time.sleep(Duration.ofSeconds(1));
          Demand late = DEMAND.until(time.nanos());
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(
                  () ->
                      lane.call(
                          late,
                          _ -> {
                            attempts.incrementAndGet();
                            return answer();
                          }));
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(() -> lane.acquire(late));
          assertThat(lane.tryAcquire(late)).isEmpty();
        });
    assertThat(attempts).hasValue(0);
    assertThat(lane.status()).isEqualTo(new Lane.Status(0, 1, 0, 0, 0));
  }

  /**
   * In mode pace, who waits while others probe a provider that is away spends none of his retries.
   */
  @Test
  void anOutageDoesNotSpendTheRetriesOfThoseWhoWait() throws Exception {
    Lane lane =
        regulator.lane(
            LimitKey.named("sim/away"),
            new Mode.Pace(PaceSettings.defaults()),
            bounds(8, Duration.ZERO, Duration.ZERO));
    time.run(
        () -> {
          List<dev.weir.time.Task<Call<String>>> calls = new ArrayList<>();
          for (int i = 0; i < 50; i++) {
            calls.add(
                time.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              time.sleep(Duration.ofMillis(100));
                              boolean away = time.nanos() < Duration.ofMinutes(3).toNanos();
                              return away
                                  ? new Attempt.Result<>(
                                      new Outcome.Transient(), Cost.ONE_REQUEST, "503")
                                  : answer();
                            })));
          }
          for (var call : calls) {
            assertThat(call.join().value()).isEqualTo("answer");
          }
        });
  }

  /** Who says how often, means it: otherwise no number would end a call to who never answers. */
  @Test
  void retriesThatAreBoundedEndWhileTheProviderIsAway() throws Exception {
    Lane lane =
        regulator.lane(
            LimitKey.named("sim/dead"),
            new Mode.Pace(PaceSettings.defaults()),
            bounds(1, Duration.ofMinutes(10), Duration.ZERO));
    time.run(
        () -> {
          for (int i = 0; i < 10; i++) {
            Call<String> call =
                lane.call(
                    DEMAND,
                    _ -> {
                      attempts.incrementAndGet();
                      return fault();
                    });
            assertThat(call.gaveUp()).contains("1 retry was not enough");
          }
        });
    assertThat(attempts).hasValue(20);
    assertThat(time.nanos()).isLessThan(Duration.ofMinutes(2).toNanos());
  }

  @Test
  void impossibleBoundsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetryBounds(OptionalInt.of(-1), Optional.empty(), Optional.empty()))
        .withMessageContaining("`maxRetries` must be >= 0");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new RetryBounds(OptionalInt.empty(), Optional.of(Duration.ZERO), Optional.empty()))
        .withMessageContaining("`timeout` must be > 0");
  }
}

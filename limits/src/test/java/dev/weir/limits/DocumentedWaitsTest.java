package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.control.AimdSettings;
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
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A refused request waits as its mode documents it, whatever other responses say meanwhile. */
@Timeout(30)
class DocumentedWaitsTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  static Stream<Mode> documented() {
    return Stream.of(
        new Mode.Static(10), new Mode.Aimd(AimdSettings.defaults()), new Mode.Halving(10));
  }

  static Stream<Mode> all() {
    return Stream.concat(documented(), Stream.of(new Mode.Pace(PaceSettings.defaults())));
  }

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

  private static Attempt.Result<String> refusal(Duration retryAfter) {
    return new Attempt.Result<>(
        new Outcome.RateLimited(requestsLeft(0, Optional.of(retryAfter))),
        Cost.ONE_REQUEST,
        "refused");
  }

  private static Attempt.Result<String> answer() {
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
  }

  /** Other requests are answered every 100 ms, and their headers say that there is quota. */
  private Task<?> others(Lane lane) {
    return time.start(
        "others",
        () -> {
          while (true) {
            lane.tryAcquire(DEMAND)
                .ifPresent(
                    permit -> {
                      permit.observe(requestsLeft(50, Optional.empty()));
                      permit.settle(new Outcome.Clean(), Cost.ONE_REQUEST);
                    });
            time.sleep(Duration.ofMillis(100));
          }
        });
  }

  @ParameterizedTest
  @MethodSource("documented")
  void aRefusedRequestWaitsForRetryAfter(Mode mode) throws Exception {
    Lane lane = regulator.lane("sim/test", mode);
    List<Duration> starts = new ArrayList<>();
    time.run(
        () -> {
          Task<?> others = others(lane);
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ -> {
                    starts.add(Duration.ofNanos(time.nanos()));
                    return starts.size() <= 2 ? refusal(Duration.ofSeconds(30)) : answer();
                  });
          assertThat(call.value()).isEqualTo("answer");
          others.cancel();
        });
    assertThat(starts).hasSize(3);
    for (int i = 1; i < starts.size(); i++) {
      // As the server asks, stretched by up to a tenth.
      assertThat(starts.get(i).minus(starts.get(i - 1)))
          .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(34));
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void maxRetriesBoundsAttempts(Mode mode) throws Exception {
    var bounds = new RetryBounds(OptionalInt.of(3), Optional.empty(), Optional.empty());
    Lane lane = regulator.lane(LimitKey.named("sim/test"), mode, bounds);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Task<?> others = others(lane);
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ -> {
                    attempts.incrementAndGet();
                    return refusal(Duration.ofSeconds(5));
                  });
          assertThat(call.gaveUp()).contains("3 retries were not enough");
          others.cancel();
        });
    assertThat(attempts).hasValue(4);
    // Three waits of 5 s: nothing was tried before its time.
    assertThat(Duration.ofNanos(time.nanos())).isGreaterThanOrEqualTo(Duration.ofSeconds(15));
  }

  /** Somebody who changes limits wakes those who wait; these attempts count, too. */
  @ParameterizedTest
  @MethodSource("all")
  void attemptsAfterARetuneCount(Mode mode) throws Exception {
    var bounds = new RetryBounds(OptionalInt.of(2), Optional.empty(), Optional.empty());
    Lane lane = regulator.lane(LimitKey.named("sim/test"), mode, bounds);
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          Task<Call<String>> refused =
              time.start(
                  "refused",
                  () ->
                      lane.call(
                          DEMAND,
                          _ -> {
                            attempts.incrementAndGet();
                            return refusal(Duration.ofMinutes(5));
                          }));
          while (!refused.isDone()) {
            time.sleep(Duration.ofSeconds(1));
            lane.retune(mode);
          }
          assertThat(refused.join().gaveUp()).isPresent();
        });
    assertThat(attempts).hasValue(3);
  }
}

package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class RateCeilingTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));
  private final List<Duration> starts = new ArrayList<>();

  static Stream<Mode> windows() {
    return Stream.of(
        new Mode.Static(20), new Mode.Aimd(AimdSettings.defaults()), new Mode.Halving(20));
  }

  /** More than the ceiling: it must not raise it. */
  private static ResponseFacts advertised() {
    return new ResponseFacts(
        List.of(
            new QuotaSnapshot(
                Dimension.REQUESTS,
                "requests",
                OptionalDouble.of(600),
                OptionalDouble.of(599),
                Optional.empty(),
                Optional.of(MINUTE),
                1,
                "test")),
        Optional.empty(),
        Optional.empty());
  }

  private static RateCeiling requests(double perMinute) {
    return new RateCeiling(OptionalDouble.of(perMinute), OptionalDouble.empty());
  }

  private void calls(Lane lane, int number, Cost estimate, Cost used) throws Exception {
    time.run(
        () -> {
          List<Task<?>> calls = new ArrayList<>();
          for (int i = 0; i < number; i++) {
            calls.add(
                time.start(
                    "call",
                    () ->
                        lane.call(
                            Demand.of("task", estimate),
                            permit -> {
                              starts.add(Duration.ofNanos(time.nanos()));
                              time.sleep(Duration.ofMillis(500));
                              permit.observe(advertised());
                              return new Attempt.Result<>(new Outcome.Clean(), used, "answer");
                            })));
          }
          for (Task<?> call : calls) {
            call.join();
          }
        });
  }

  /** The most starts within any minute. */
  private int mostInAMinute() {
    int most = 0;
    for (Duration begin : starts) {
      Duration end = begin.plus(MINUTE);
      most =
          Math.max(
              most,
              (int)
                  starts.stream()
                      .filter(at -> at.compareTo(begin) >= 0 && at.compareTo(end) < 0)
                      .count());
    }
    return most;
  }

  @ParameterizedTest
  @MethodSource("windows")
  void noMinuteHasMoreRequestsThanTheCeiling(Mode mode) throws Exception {
    Lane lane = regulator.lane("sim/test", mode);
    lane.limitTo(requests(60));
    calls(lane, 150, Cost.ONE_REQUEST, Cost.ONE_REQUEST);
    assertThat(starts).hasSize(150);
    assertThat(mostInAMinute()).isEqualTo(60);
    // And nothing of it is left unused.
    assertThat(starts.getLast()).isEqualTo(Duration.ofSeconds(149));
  }

  /** 100 were expected and 20 used: five times as many fit as were first thought. */
  @Test
  void tokensCountAsTheyWereUsed() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(20));
    lane.limitTo(new RateCeiling(OptionalDouble.empty(), OptionalDouble.of(1_200)));
    calls(lane, 120, new Cost(50, 50), new Cost(10, 10));
    assertThat(mostInAMinute()).isBetween(50, 61);
  }

  /** A refused request keeps its place in the window, but not in the line of the ceiling. */
  @Test
  void retriesCountInModeAimd() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Aimd(AimdSettings.defaults()));
    lane.limitTo(requests(6));
    time.run(
        () -> {
          List<Task<?>> calls = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            int number = i;
            var attempts = new ArrayList<Integer>();
            calls.add(
                time.start(
                    "call",
                    () ->
                        lane.call(
                            Demand.of("task", Cost.ONE_REQUEST),
                            _ -> {
                              starts.add(Duration.ofNanos(time.nanos()));
                              attempts.add(number);
                              return attempts.size() < 3
                                  ? new Attempt.Result<>(
                                      new Outcome.RateLimited(ResponseFacts.NONE),
                                      Cost.ONE_REQUEST,
                                      "no")
                                  : new Attempt.Result<>(
                                      new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
                            })));
          }
          for (Task<?> call : calls) {
            call.join();
          }
        });
    assertThat(starts).hasSize(12);
    assertThat(mostInAMinute()).isLessThanOrEqualTo(6);
  }

  @Test
  void whatIsWaitedForIsToldAndARaiseWakes() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(20));
    lane.limitTo(requests(1));
    time.run(
        () -> {
          lane.acquire(Demand.of("task", Cost.ONE_REQUEST)).close();
          Task<Permit> waiting =
              time.start("waiting", () -> lane.acquire(Demand.of("task", Cost.ONE_REQUEST)));
          time.sleep(Duration.ofSeconds(1));
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.PACE);
          assertThat(lane.waitingFor().dimension()).contains(Dimension.REQUESTS);
          assertThat(lane.waitingFor().untilNanos()).hasValue(MINUTE.toNanos());
          lane.limitTo(RateCeiling.NONE);
          waiting.join().close();
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(1));
        });
  }

  @Test
  void impossibleCeilingsAreRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> requests(0))
        .withMessage("`requestsPerMinute` must be > 0, was 0.0");
  }
}

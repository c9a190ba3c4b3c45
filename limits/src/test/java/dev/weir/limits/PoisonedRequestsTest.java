package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that fail while others succeed. */
class PoisonedRequestsTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private interface Fate {
    Outcome of(int request, long now);
  }

  private static Outcome fault() {
    return new Outcome.Transient();
  }

  private static Outcome answer() {
    return new Outcome.Clean();
  }

  /** Requests that each take two seconds: 30 a minute on each connection. */
  private static List<Call<Integer>> run(
      long seed, int requests, int connections, RetryBounds bounds, Fate fate) throws Exception {
    VirtualTime time = VirtualTime.seeded(seed);
    var settings =
        new PaceSettings(connections, OptionalDouble.empty(), OptionalDouble.empty(), false);
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(seed))
            .lane(LimitKey.named("sim/test"), new Mode.Pace(settings), bounds);
    List<Call<Integer>> calls = new ArrayList<>();
    time.run(
        () -> {
          List<Task<Call<Integer>>> tasks = new ArrayList<>();
          for (int i = 0; i < requests; i++) {
            int number = i;
            tasks.add(
                time.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              time.sleep(Duration.ofSeconds(2));
                              return new Attempt.Result<>(
                                  fate.of(number, time.nanos()), Cost.ONE_REQUEST, number);
                            })));
          }
          for (Task<Call<Integer>> task : tasks) {
            calls.add(task.join());
          }
        });
    return calls;
  }

  /** In a run of 17 minutes, and in one of 20 s, when others are long done. */
  @ParameterizedTest
  @ValueSource(ints = {2, 100})
  void oneOfAThousandIsPoisoned(int connections) throws Exception {
    List<Call<Integer>> calls =
        run(
            1,
            1_000,
            connections,
            RetryBounds.NONE,
            (number, _) -> number == 17 ? fault() : answer());
    assertThat(calls)
        .allSatisfy(call -> assertThat(call.isPoisoned()).isEqualTo(call.value() == 17));
    Call<Integer> poisoned = calls.get(17);
    assertThat(poisoned.outcome()).isEqualTo(new Outcome.Transient());
    assertThat(poisoned.attempts()).isBetween(8, 200);
    assertThat(poisoned.gaveUp())
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .matches("it failed \\d+ times in 1\\d min while other requests succeeded"));
  }

  @Test
  void severalArePoisonedBesideEachOther() throws Exception {
    List<Call<Integer>> calls =
        run(2, 1_000, 2, RetryBounds.NONE, (number, _) -> number % 200 == 9 ? fault() : answer());
    assertThat(calls)
        .allSatisfy(call -> assertThat(call.isPoisoned()).isEqualTo(call.value() % 200 == 9));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void noneIsPoisonedWhereAThirdOfAllFailsForAnHour(long seed) throws Exception {
    var random = new SplittableRandom(seed);
    List<Call<Integer>> calls =
        run(
            seed,
            4_000,
            2,
            RetryBounds.NONE,
            (_, now) ->
                now < Duration.ofHours(1).toNanos() && random.nextInt(100) < 30
                    ? fault()
                    : answer());
    assertThat(calls).as("seed %d", seed).allSatisfy(call -> assertThat(call.gaveUp()).isEmpty());
  }

  /** In the middle of a run, and when all but the last few of 1,000 have finished. */
  @ParameterizedTest
  @ValueSource(ints = {5, 16})
  void noneIsPoisonedByAnOutage(int beginMinutes) throws Exception {
    long begin = Duration.ofMinutes(beginMinutes).toNanos();
    long end = begin + Duration.ofMinutes(40).toNanos();
    List<Call<Integer>> calls =
        run(
            3,
            1_000,
            2,
            RetryBounds.NONE,
            (_, now) -> now >= begin && now < end ? fault() : answer());
    assertThat(calls).allSatisfy(call -> assertThat(call.gaveUp()).isEmpty());
  }

  /** A limit or a lack of capacity is never the fault of a request. */
  @Test
  void refusalsAndOverloadNeverCount() throws Exception {
    long hour = Duration.ofHours(1).toNanos();
    List<Call<Integer>> calls =
        run(
            4,
            2_000,
            2,
            RetryBounds.NONE,
            (number, now) ->
                now > hour || number > 1
                    ? answer()
                    : number == 0
                        ? new Outcome.RateLimited(ResponseFacts.NONE)
                        : new Outcome.Overloaded(ResponseFacts.NONE));
    assertThat(calls).allSatisfy(call -> assertThat(call.gaveUp()).isEmpty());
  }

  @Test
  void theNumberOfAttemptsCanBeChosenAndTurnedOff() throws Exception {
    Fate oneFailsForThreeHours =
        (number, now) -> number == 17 && now < Duration.ofHours(3).toNanos() ? fault() : answer();
    List<Call<Integer>> never =
        run(5, 1_000, 2, RetryBounds.NONE.withMaxPoisonedAttempts(0), oneFailsForThreeHours);
    assertThat(never.get(17).gaveUp()).isEmpty();
    List<Call<Integer>> late =
        run(5, 1_000, 2, RetryBounds.NONE.withMaxPoisonedAttempts(30), oneFailsForThreeHours);
    assertThat(late.get(17).isPoisoned()).isTrue();
    assertThat(late.get(17).attempts()).isGreaterThanOrEqualTo(30);
  }

  /** Who was put aside has one more failure, but may be refused as often as it takes. */
  @Test
  void aLastChanceIsOneAttempt() throws Exception {
    VirtualTime time = VirtualTime.seeded(1);
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(1))
            .lane("sim/test", new Mode.Pace(PaceSettings.defaults()));
    List<Outcome> outcomes =
        new ArrayList<>(
            List.of(
                new Outcome.RateLimited(ResponseFacts.NONE),
                new Outcome.Overloaded(ResponseFacts.NONE),
                fault()));
    time.run(
        () -> {
          Call<String> call =
              lane.call(
                  DEMAND.asLastChance(),
                  _ -> new Attempt.Result<>(outcomes.removeFirst(), Cost.ONE_REQUEST, "value"));
          assertThat(call.attempts()).isEqualTo(3);
          assertThat(call.gaveUp()).isPresent();
        });
  }

  /** They have documented retries, which a default must not change. */
  @Test
  void modesWithAWindowPoisonNothingUnlessAsked() throws Exception {
    for (int attempts : List.of(0, 8)) {
      VirtualTime time = VirtualTime.seeded(1);
      RetryBounds bounds =
          attempts == 0 ? RetryBounds.NONE : RetryBounds.NONE.withMaxPoisonedAttempts(attempts);
      Lane lane =
          Regulator.unbounded(time, new SplittableRandom(1))
              .lane(LimitKey.named("sim/test"), new Mode.Static(4), bounds);
      time.run(
          () -> {
            Task<Call<String>> failing =
                time.start(
                    "failing",
                    () ->
                        lane.call(
                            DEMAND,
                            _ ->
                                new Attempt.Result<>(
                                    time.nanos() < Duration.ofHours(3).toNanos()
                                        ? fault()
                                        : answer(),
                                    Cost.ONE_REQUEST,
                                    "value")));
            while (!failing.isDone()) {
              lane.call(
                  DEMAND,
                  _ -> {
                    time.sleep(Duration.ofMillis(500));
                    return new Attempt.Result<>(answer(), Cost.ONE_REQUEST, "other");
                  });
            }
            assertThat(failing.join().isPoisoned()).isEqualTo(attempts > 0);
          });
    }
  }
}

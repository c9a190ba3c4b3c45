package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class EngineLimitsTest {

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));
  private final Map<String, Integer> inFlight = new HashMap<>();
  private final Map<String, Integer> peak = new HashMap<>();

  static Stream<Mode> modes() {
    return Stream.of(
        new Mode.Static(50),
        new Mode.Aimd(AimdSettings.defaults()),
        new Mode.Halving(50),
        new Mode.Pace(
            new PaceSettings(
                2_000,
                OptionalDouble.of(60_000),
                OptionalDouble.empty(),
                /* selfHosted= */ false)));
  }

  private static Ceiling concurrency(int calls) {
    return new Ceiling(OptionalInt.of(calls), RateCeiling.NONE);
  }

  private static EngineLimits anthropic(Engine engine) {
    return new EngineLimits(Map.of("anthropic", engine));
  }

  private Lane lane(String account, String model, Mode mode) {
    return regulator.lane(LimitKey.of("anthropic", account, model), mode, RetryBounds.NONE);
  }

  private void count(String what, int change) {
    int now = inFlight.merge(what, change, Integer::sum);
    peak.merge(what, now, Integer::max);
  }

  private void calls(int each, Map<Lane, String> lanes) throws Exception {
    time.run(
        () -> {
          List<Task<?>> calls = new ArrayList<>();
          lanes.forEach(
              (lane, model) -> {
                for (int i = 0; i < each; i++) {
                  calls.add(
                      time.start(
                          "call",
                          () ->
                              lane.call(
                                  Demand.of("task", Cost.ONE_REQUEST),
                                  _ -> {
                                    count(model, 1);
                                    count("engine", 1);
                                    time.sleep(Duration.ofMillis(500));
                                    count(model, -1);
                                    count("engine", -1);
                                    return new Attempt.Result<>(
                                        new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
                                  })));
                }
              });
          for (Task<?> call : calls) {
            call.join();
          }
        });
  }

  @ParameterizedTest
  @MethodSource("modes")
  void theHighestOfItsModelsBoundsTheEngine(Mode mode) throws Exception {
    regulator.limitEngines(
        anthropic(new Engine(Map.of("old", concurrency(2), "new", concurrency(5)))));
    calls(60, Map.of(lane("a", "old", mode), "old", lane("a", "new", mode), "new"));
    assertThat(peak).containsEntry("old", 2).containsEntry("engine", 5);
    assertThat(peak.get("new")).isLessThanOrEqualTo(5);
  }

  @Test
  void aLimitOfItsOwnBoundsTheEngineInstead() throws Exception {
    regulator.limitEngines(
        anthropic(
            new Engine(Map.of("old", concurrency(2), "new", concurrency(5)), OptionalInt.of(3))));
    Mode mode = new Mode.Static(50);
    calls(30, Map.of(lane("a", "old", mode), "old", lane("a", "new", mode), "new"));
    assertThat(peak).containsEntry("engine", 3);
  }

  @Test
  void limitsThatAreNotEnforcedBindNothing() throws Exception {
    regulator.limitEngines(
        new EngineLimits(Map.of("anthropic", new Engine(Map.of("old", concurrency(2)))), false));
    calls(30, Map.of(lane("a", "old", new Mode.Static(20)), "old"));
    assertThat(peak).containsEntry("old", 20);
  }

  @Test
  void limitsThatAreNotEnforcedTakeNothingFromOthers() throws Exception {
    var measured =
        new EngineLimits(Map.of("anthropic", new Engine(Map.of("old", concurrency(2)))), false);
    EngineLimits both = measured.lowest(anthropic(new Engine(Map.of("old", concurrency(7)))));
    assertThat(both.isEnforced()).isFalse();
    assertThat(both.ceiling("anthropic", "old").concurrency()).hasValue(2);
    regulator.limitEngines(both);
    calls(30, Map.of(lane("a", "old", new Mode.Static(20)), "old"));
    assertThat(peak).containsEntry("old", 7);
  }

  @Test
  void eachModelThatAPatternMatchesHasItsLimitToItself() throws Exception {
    regulator.limitEngines(
        anthropic(new Engine(Map.of("claude-*", concurrency(3)), OptionalInt.of(100))));
    Mode mode = new Mode.Static(20);
    calls(
        30,
        Map.of(
            lane("a", "claude-x", mode), "claude-x",
            lane("a", "claude-y", mode), "claude-y",
            lane("a", "other", mode), "other"));
    assertThat(peak)
        .containsEntry("claude-x", 3)
        .containsEntry("claude-y", 3)
        .containsEntry("other", 20);
  }

  @ParameterizedTest
  @CsvSource({
    "claude-2.1, 1", // exact
    "claude-haiku-4, 2", // the longest pattern
    "claude-opus, 3",
    "a-and-b, 4",
    "a-b, 4",
    "and-c, 5",
    "a-and-bc, 5",
  })
  void anExactNameWinsThenTheLongestPattern(String model, int expected) {
    EngineLimits limits =
        anthropic(
            new Engine(
                Map.of(
                    "claude-2.1", concurrency(1),
                    "claude-haiku-*", concurrency(2),
                    "claude-*", concurrency(3),
                    "a*-b", concurrency(4),
                    "*", concurrency(5))));
    assertThat(limits.ceiling("anthropic", model).concurrency()).hasValue(expected);
  }

  @Test
  void ofTwoSourcesTheLowestHoldsAlsoWhereOneHasAPattern() {
    EngineLimits exact = anthropic(new Engine(Map.of("claude-2.1", concurrency(15))));
    EngineLimits pattern = anthropic(new Engine(Map.of("claude-*", concurrency(5))));
    for (EngineLimits both : List.of(exact.lowest(pattern), pattern.lowest(exact))) {
      assertThat(both.ceiling("anthropic", "claude-2.1").concurrency()).hasValue(5);
      assertThat(both.ceiling("anthropic", "claude-3").concurrency()).hasValue(5);
    }
  }

  @Test
  void ofOverlappingPatternsOfTwoSourcesTheLowestHolds() {
    EngineLimits both =
        anthropic(new Engine(Map.of("claude-*", concurrency(10))))
            .lowest(anthropic(new Engine(Map.of("*-haiku", concurrency(5)))));
    assertThat(both.ceiling("anthropic", "claude-haiku").concurrency()).hasValue(5);
    assertThat(both.ceiling("anthropic", "claude-opus").concurrency()).hasValue(10);
  }

  @Test
  void aSourceDoesNotRaiseTheEngineLimitOfAnother() {
    EngineLimits both =
        anthropic(new Engine(Map.of("old", concurrency(10))))
            .lowest(anthropic(new Engine(Map.of(), OptionalInt.of(15))));
    assertThat(both.concurrency("anthropic")).hasValue(10);
  }

  @Test
  void accountsShareTheLimitOfAModelAndModelsWithoutOneThatOfTheEngine() throws Exception {
    regulator.limitEngines(anthropic(new Engine(Map.of("old", concurrency(4)))));
    Mode mode = new Mode.Static(50);
    calls(
        20,
        Map.of(
            lane("a", "old", mode), "old",
            lane("b", "old", mode), "old",
            lane("a", "unknown", mode), "unknown"));
    assertThat(peak).containsEntry("engine", 4);
  }

  @Test
  void batchesAndOtherEnginesAreNotBound() throws Exception {
    regulator.limitEngines(anthropic(new Engine(Map.of("old", concurrency(1)))));
    Mode mode = new Mode.Static(50);
    Lane batch = regulator.batchLane(LimitKey.of("anthropic", "a", "old"), mode, RetryBounds.NONE);
    calls(20, Map.of(batch, "batch", regulator.lane("openai/old", mode), "other"));
    assertThat(peak).containsEntry("batch", 20).containsEntry("other", 20);
  }

  @ParameterizedTest
  @MethodSource("modes")
  void noMinuteHasMoreThanIsConfigured(Mode mode) throws Exception {
    regulator.limitEngines(
        anthropic(
            new Engine(
                Map.of(
                    "old",
                    new Ceiling(
                        OptionalInt.empty(),
                        new RateCeiling(
                            OptionalDouble.empty(),
                            OptionalDouble.empty(),
                            OptionalDouble.of(600),
                            OptionalDouble.empty()))))));
    List<Long> starts = new ArrayList<>();
    time.run(
        () -> {
          List<Task<?>> calls = new ArrayList<>();
          for (Lane lane : List.of(lane("a", "old", mode), lane("b", "old", mode))) {
            for (int i = 0; i < 40; i++) {
              calls.add(
                  time.start(
                      "call",
                      () ->
                          lane.call(
                              Demand.of("task", new Cost(10, 100)),
                              _ -> {
                                starts.add(time.nanos());
                                time.sleep(Duration.ofMillis(500));
                                return new Attempt.Result<>(
                                    new Outcome.Clean(), new Cost(10, 5), "answer");
                              })));
            }
          }
          for (Task<?> call : calls) {
            call.join();
          }
        });
    long minute = Duration.ofMinutes(1).toNanos();
    assertThat(starts).hasSize(80);
    assertThat(starts)
        .allSatisfy(
            begin ->
                assertThat(starts.stream().filter(at -> at >= begin && at < begin + minute).count())
                    .isLessThanOrEqualTo(61));
  }

  @Test
  void whatIsWaitedForIsNamedAndARaiseWakes() throws Exception {
    regulator.limitEngines(anthropic(new Engine(Map.of("old", concurrency(1)))));
    Lane lane = lane("a", "old", new Mode.Static(50));
    time.run(
        () -> {
          Demand demand = Demand.of("task", Cost.ONE_REQUEST);
          Permit held = lane.acquire(demand);
          Task<Permit> waiting = time.start("waiting", () -> lane.acquire(demand));
          time.sleep(Duration.ofSeconds(1));
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.ENGINE_LIMIT);
          assertThat(lane.waitingFor().scope()).isEqualTo("anthropic");
          regulator.limitEngines(
              anthropic(
                  new Engine(
                      Map.of(
                          "old",
                          new Ceiling(
                              OptionalInt.of(2),
                              new RateCeiling(OptionalDouble.of(1), OptionalDouble.empty()))))));
          waiting.join().close();
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(1));
          Task<Permit> next = time.start("next", () -> lane.acquire(demand));
          time.sleep(Duration.ofSeconds(1));
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.ENGINE_LIMIT);
          assertThat(lane.waitingFor().dimension()).contains(Dimension.REQUESTS);
          assertThat(lane.waitingFor().scope()).isEqualTo("anthropic/old");
          next.join().close();
          held.close();
        });
  }

  @Test
  void ofSeveralLimitsTheLowestHoldsAndNoneIsShown() {
    EngineLimits one =
        anthropic(
            new Engine(
                Map.of(
                    "old",
                    new Ceiling(
                        OptionalInt.of(7_351),
                        new RateCeiling(OptionalDouble.of(60), OptionalDouble.of(9_999))))));
    EngineLimits other =
        anthropic(
            new Engine(
                Map.of(
                    "old",
                    new Ceiling(
                        OptionalInt.of(8_642),
                        new RateCeiling(OptionalDouble.of(50), OptionalDouble.empty())))));
    EngineLimits both = one.lowest(other);
    Ceiling ceiling = both.ceiling("anthropic", "old");
    assertThat(ceiling.concurrency()).hasValue(7_351);
    assertThat(ceiling.rates())
        .isEqualTo(new RateCeiling(OptionalDouble.of(50), OptionalDouble.of(9_999)));
    assertThat(both.toString()).contains("anthropic", "old").doesNotContain("7351", "9999", "50");
  }
}

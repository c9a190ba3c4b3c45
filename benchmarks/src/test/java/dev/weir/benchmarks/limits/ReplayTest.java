package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Mode;
import dev.weir.limits.PaceFlow;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.exchange.LocalExchange;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.Decided;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceController;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.pace.PaceState;
import dev.weir.limits.pace.Slice;
import dev.weir.simulator.provider.RandomScenarios;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Scenarios;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A run can be replayed from its observations: {@code decide} on states, cut into batches anywhere,
 * says to the last bit what the live controller said.
 */
class ReplayTest {

  private static final long SEED = 11;
  private static final Cost COST = new Cost(500, 500);

  /** One exchange: what was handed in, and what came back. */
  private record Step(long now, List<Observation> happened, Slice slice) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a", "a*", "b", "b''", "c", "c'", "d", "d'", "e", "f", "i", "k", "l", "l*", "m", "w", "w'"
      })
  void aRunIsAFunctionOfItsObservations(String name) {
    replay(Scenarios.named(name), SEED);
  }

  @ParameterizedTest
  @ValueSource(longs = {30_001, 30_002, 30_003, 30_004, 30_005, 30_006, 30_007, 30_008})
  void soAreRunsAgainstProvidersThatNobodyChose(long seed) {
    replay(RandomScenarios.of(seed), seed);
  }

  private static void replay(Scenario scenario, long seed) {
    PaceSettings settings =
        ((Mode.Pace) ModeUnderTest.PACE.forScenario().apply(scenario)).settings();
    var live = new LocalExchange(settings, seed, 0);
    List<Step> recorded = new ArrayList<>();
    List<LimitEvent> told = new ArrayList<>();
    var watched =
        new WatchedExchange(
            live,
            (now, happened, slice) -> {
              recorded.add(new Step(now, happened, slice));
              told.addAll(live.drainEvents());
            });
    new ScenarioRun(scenario, seed)
        .run(
            new FlowClient(
                session -> new PaceFlow(watched, session.random(), session.loop().now())));

    PaceState state = PaceState.start(settings, seed, 0);
    List<LimitEvent> events = new ArrayList<>();
    var random = new SplittableRandom(seed);
    int at = 0;
    while (at < recorded.size()) {
      int until = Math.min(recorded.size(), at + batch(random));
      List<Step> steps = recorded.subList(at, until);
      List<Observation> observations =
          steps.stream().flatMap(step -> step.happened().stream()).toList();
      Step last = steps.getLast();

      Decided decided = PaceController.decide(state, observations, last.now());
      state = decided.state();
      events.addAll(decided.events());
      Slice slice = last.slice();
      assertThat(decided.slice().leased(slice.generation(), slice.leaseUntil()))
          .as("after %d of %d", until, recorded.size())
          .isEqualTo(slice);
      assertThat(decided.slice().waitNanos(last.now(), COST))
          .isEqualTo(slice.waitNanos(last.now(), COST));
      assertThat(new PaceController(state).state()).isEqualTo(state);
      at = until;
    }
    assertThat(state).isEqualTo(live.state());
    assertThat(events).isEqualTo(told);
    assertThat(events).isNotEmpty();
  }

  /** Mostly some hundreds at once, but now and then one by one. */
  private static int batch(RandomGenerator random) {
    return random.nextInt(4) == 0 ? 1 : random.nextInt(1, 600);
  }
}

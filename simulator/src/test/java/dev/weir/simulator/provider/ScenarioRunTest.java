package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScenarioRunTest {

  /** Where a window never meets a refusal, the published figures must come out. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "a, 10, 1.76",
        "b', 10, 2.18",
        "c, 10, 2.72",
        "d, 10, 2.48",
        "d', 50, 0.97",
        "d', 200, 0.97",
        "g, 50, 5.64",
        "g, 200, 1.45",
        "h, 4, 2.21",
        "j, 10, 18.3"
      })
  void aWindowTakesAsLongAsInTheTable(String name, int window, double ratio) {
    ScenarioResult result =
        new ScenarioRun(Scenarios.named(name), 11).run(new WindowClient(window));
    assertThat(result.ratio()).isCloseTo(ratio, within(0.04 * ratio));
    assertThat(result.refusalsPerThousand()).isZero();
    assertThat(result.peakInFlight())
        .isLessThanOrEqualTo(window * Scenarios.named(name).processes());
  }

  @Test
  void aWindowThatIsTooLargeIsRefusedAgainAndAgain() {
    ScenarioResult result = new ScenarioRun(Scenarios.named("a"), 11).run(new WindowClient(50));
    // A little below 1 is possible: a refused request is later, perhaps the slow last one earlier.
    assertThat(result.ratio()).isBetween(0.99, 1.3);
    assertThat(result.refusalsPerThousand()).isBetween(500.0, 4_000.0);
    assertThat(result.accepted().size()).isEqualTo(3_000);
    assertThat(result.converged()).contains(Duration.ZERO);
  }

  @Test
  void whereRefusalsCostQuotaALargeWindowGetsNowhere() {
    ScenarioResult result = new ScenarioRun(Scenarios.named("a*"), 11).run(new WindowClient(50));
    assertThat(result.ratio()).isGreaterThan(3);
    assertThat(result.refusalsPerThousand()).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.simulator.provider.Scenarios#all")
  void everyScenarioCanBeFinished(Scenario scenario) {
    ScenarioResult result = new ScenarioRun(scenario, 12).run(new WindowClient(5));
    assertThat(result.unfinished()).isZero();
    assertThat(result.ratio()).isGreaterThan(0.95);
    assertThat(result.provider().answers()).isEqualTo(scenario.requests());
    assertThat(result.discarded()).isZero();
    assertThat(result.provider().duplicates()).isZero();
  }

  /** A perfect semaphore behind the same network: the optimum of a bare cap, met exactly. */
  @Test
  void theOracleOfACapIsAClientLikeOthers() {
    ScenarioResult result = new ScenarioRun(Scenarios.named("d"), 11).run(new WindowClient(25));
    assertThat(result.ratio()).isCloseTo(1, within(0.001));
    assertThat(result.refusalsPerThousand()).isZero();
    assertThat(result.peakInFlight()).isEqualTo(25);
  }

  /** It knows when a request conforms; without a network, that is when it arrives. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {"a", "b''", "c", "e", "f", "m", "w"})
  void theGreedyOracleIsTheOptimumOnceThereIsNoNetwork(String name) {
    Scenario scenario = Scenarios.named(name);
    var near = Scenario.of(name, name, scenario.workload(), scenario.settings().withoutDelay());
    ScenarioResult result = new ScenarioRun(near, 11).run(new GreedyClient());
    assertThat(result.ratio()).isEqualTo(1);
    assertThat(result.refusalsPerThousand()).isZero();
    assertThat(result.failures()).isZero();
  }

  @Test
  void theSameSeedMakesTheSameHistory() {
    for (String name : new String[] {"a", "c", "d", "f", "h", "k"}) {
      ScenarioResult once = new ScenarioRun(Scenarios.named(name), 5).run(new WindowClient(40));
      ScenarioResult again = new ScenarioRun(Scenarios.named(name), 5).run(new WindowClient(40));
      assertThat(again.makespan()).isEqualTo(once.makespan());
      assertThat(again.provider()).isEqualTo(once.provider());
      assertThat(again.accepted().stream())
          .containsExactlyElementsOf(once.accepted().stream().boxed().toList());
    }
  }

  @Test
  void convergenceCountsFromTheLastDisturbance() {
    ScenarioResult result = new ScenarioRun(Scenarios.named("f"), 11).run(new WindowClient(30));
    assertThat(result.failures()).isPositive();
    assertThat(result.converged()).isPresent();
    ScenarioResult slow = new ScenarioRun(Scenarios.named("f"), 11).run(new WindowClient(5));
    assertThat(slow.converged()).isEmpty();
  }

  @Test
  void aClientThatWaitsForAHungCallDoesNotFinish() {
    var settings = ProviderSettings.builder().requests(new Quota(10, 10)).hangRate(0.1).build();
    var scenario = Scenario.of("x", "hung calls", Workload.of(100), settings);
    ScenarioResult result = new ScenarioRun(scenario, 1).run(new WindowClient(100));
    assertThat(result.unfinished()).isEqualTo(result.provider().hung()).isPositive();
    assertThat(result.ratio()).isInfinite();
  }

  @Test
  void answersThatAreNotKeptAreCounted() {
    var scenario =
        Scenario.of("x", "no limits", Workload.of(50), ProviderSettings.builder().build());
    Client sendsTwice =
        session ->
            session
                .requests()
                .forEach(
                    request ->
                        session.send(
                            request, _ -> session.send(request, _ -> session.done(request))));
    ScenarioResult twice = new ScenarioRun(scenario, 1).run(sendsTwice);
    assertThat(twice.discarded()).isEqualTo(50);
    assertThat(twice.provider().duplicates()).isEqualTo(50);

    ScenarioResult given =
        new ScenarioRun(scenario, 1).run(session -> session.requests().forEach(session::giveUp));
    assertThat(given.gaveUp()).isEqualTo(50);
    assertThat(given.converged()).isEqualTo(Optional.empty());
  }

  @Test
  void aRequestEndsOnce() {
    var scenario =
        Scenario.of("x", "no limits", Workload.of(1), ProviderSettings.builder().build());
    var run = new ScenarioRun(scenario, 1);
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                run.run(
                    session -> {
                      session.done(session.requests().getFirst());
                      session.giveUp(session.requests().getFirst());
                    }))
        .withMessage("cannot end request 0: it has ended");
  }
}

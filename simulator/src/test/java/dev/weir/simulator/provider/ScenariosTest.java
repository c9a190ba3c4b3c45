package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScenariosTest {

  private static final int RANDOM = 100;

  @Test
  void namesAreUniqueAndFoundAgain() {
    List<Scenario> all = Scenarios.all();
    assertThat(all).extracting(Scenario::name).doesNotHaveDuplicates().hasSize(27);
    assertThat(all).allSatisfy(s -> assertThat(Scenarios.named(s.name())).isSameAs(s));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scenarios.named("z"))
        .withMessage("`name` must be a scenario, was 'z'");
  }

  @Test
  void aHiddenSliceCountsAsNotAdvertised() {
    assertThat(Scenarios.all().stream().filter(Scenario::advertised).map(Scenario::name))
        .containsExactly("b", "b'", "c", "c*", "e'", "g'", "h'", "i'", "w'");
  }

  @Test
  void randomScenariosKeepToTheirRanges() {
    List<Scenario> scenarios = LongStream.range(0, 1_000).mapToObj(RandomScenarios::of).toList();
    for (Scenario scenario : scenarios) {
      Quota quota = scenario.settings().requests().orElseThrow();
      assertThat(quota.perSecond()).as(scenario.name()).isBetween(0.5, 160.0);
      assertThat(quota.burst())
          .as(scenario.name())
          .isBetween(1.0, Math.max(1, Math.ceil(60 * quota.perSecond())));
      assertThat(scenario.settings().oneWayDelay().toMillis())
          .as(scenario.name())
          .isBetween(10L, 100L);
      assertThat(scenario.requests()).as(scenario.name()).isBetween(1, 20_000);
    }
    assertThat(scenarios.stream().filter(Scenario::advertised).count()).isBetween(360L, 440L);
    assertThat(scenarios.stream().filter(s -> s.settings().refusalCost() > 0).count())
        .isBetween(210L, 290L);
    assertThat(RandomScenarios.of(7)).isEqualTo(RandomScenarios.of(7));
  }

  @Test
  void randomScenariosLastMinutes() {
    long inRange =
        LongStream.range(0, RANDOM)
            .map(
                seed ->
                    new ScenarioRun(RandomScenarios.of(seed), seed)
                        .optimum()
                        .makespan()
                        .toSeconds())
            .filter(seconds -> seconds >= 140 && seconds <= 450)
            .count();
    // The others have so high a rate or burst that 20,000 requests are done earlier.
    assertThat(inRange).isGreaterThan(RANDOM * 4 / 5);
  }
}

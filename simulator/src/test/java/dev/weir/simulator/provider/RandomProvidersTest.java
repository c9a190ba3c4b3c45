package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RandomProvidersTest {

  @Test
  void keepToTheirRanges() {
    List<Scenario> drawn = LongStream.range(0, 1_000).mapToObj(RandomProviders::of).toList();
    Set<Advertisement> advertised = EnumSet.noneOf(Advertisement.class);
    for (Scenario scenario : drawn) {
      ProviderSettings settings = scenario.settings();
      advertised.add(settings.advertising().as().orElseThrow());
      settings
          .requests()
          .ifPresent(
              quota ->
                  assertThat(quota.perSecond())
                      .as(scenario.title())
                      .isBetween(0.5, settings.tokens().isPresent() ? 450.0 : 150.0));
      assertThat(settings.oneWayDelay().toMillis()).as(scenario.title()).isBetween(5L, 100L);
    }
    assertThat(advertised).isEqualTo(EnumSet.allOf(Advertisement.class));
    assertThat(drawn.stream().filter(s -> s.settings().calendar().isPresent()).count())
        .isBetween(110L, 190L);
    assertThat(drawn.stream().filter(s -> s.settings().tokens().isPresent()).count())
        .isBetween(110L, 190L);
    assertThat(drawn.stream().filter(s -> s.settings().cap().isPresent()).count())
        .isBetween(85L, 155L);
    assertThat(drawn.stream().filter(s -> s.settings().acceleration().isPresent()).count())
        .isBetween(50L, 110L);
    assertThat(RandomProviders.of(7)).isEqualTo(RandomProviders.of(7));
  }

  @Test
  void lastOneToTenMinutes() {
    // The largest ones take seconds to compute and differ only in size.
    LongStream.range(0, 60)
        .mapToObj(seed -> new Object[] {seed, RandomProviders.of(seed)})
        .filter(drawn -> ((Scenario) drawn[1]).requests() < 5_000)
        .forEach(
            drawn -> {
              Scenario scenario = (Scenario) drawn[1];
              assertThat(
                      new ScenarioRun(scenario, (long) drawn[0]).optimum().makespan().toSeconds())
                  .as(scenario.title())
                  .isBetween(40L, 1_000L);
            });
  }
}

package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioResult;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a provider says about its quota, the pace that it takes is found. */
class AdvertisedQuotaTest {

  private static final int SEEDS = 20;

  @ParameterizedTest
  @EnumSource(Advertisement.class)
  void nineOfTenRunsKeepThePace(Advertisement advertisement) {
    Scenario scenario =
        new Scenario(
            "row",
            advertisement.word(),
            1,
            Workload.of(1_400, Duration.ofMillis(1_400)),
            ProviderSettings.builder()
                .advertise(advertisement)
                .oneWayDelay(Duration.ofMillis(1))
                .requests(new Quota(20, 30))
                .build(),
            Optional.empty());
    List<ScenarioResult> runs =
        IntStream.rangeClosed(1, SEEDS)
            .mapToObj(
                seed ->
                    new ScenarioRun(scenario, seed)
                        .run(new FlowClient(ModeUnderTest.PACE.forScenario().apply(scenario))))
            .toList();
    assertThat(quantile(runs, ScenarioResult::ratio, 0.9)).as("makespan ÷ optimum").isLessThan(1.1);
    assertThat(quantile(runs, ScenarioResult::refusalsPerThousand, 0.5))
        .as("refusals per 1,000")
        .isLessThan(10);
  }

  private static double quantile(
      List<ScenarioResult> runs, ToDoubleFunction<ScenarioResult> figure, double share) {
    return runs.stream()
        .mapToDouble(figure)
        .sorted()
        .skip(Math.round(SEEDS * share) - 1)
        .findFirst()
        .orElseThrow();
  }
}

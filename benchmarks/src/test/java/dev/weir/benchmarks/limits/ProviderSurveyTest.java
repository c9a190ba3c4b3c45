package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.limits.ProviderSurvey.Measured;
import dev.weir.simulator.provider.ProviderCounts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProviderSurveyTest {

  private static Measured measured(long seed, double ratio, double refusals) {
    return new Measured(seed, "provider " + seed, ratio, refusals, 0, refusals > 20);
  }

  private static ProviderCounts counts(int accepted, int refusals, int strays) {
    return new ProviderCounts(accepted, refusals, strays, 0, 0, accepted, 0, 1);
  }

  @Test
  void theSameSeedsGiveTheSameSurveyInTheirOrder() throws Exception {
    List<ProviderSurvey> surveys = new LimitsBenchmark(6).surveys();
    assertThat(surveys).extracting(ProviderSurvey::name).containsExactly("calibration", "reported");
    assertThat(surveys.getFirst().measured())
        .extracting(Measured::seed)
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(surveys.getLast().measured().getFirst().seed()).isEqualTo(100_001);
    assertThat(new LimitsBenchmark(6).surveys()).isEqualTo(surveys);
  }

  @Test
  void figuresHaveTheirTargetsBesideThem() {
    var survey =
        new ProviderSurvey(
            "reported",
            List.of(
                measured(7, 1.01, 3),
                measured(8, Double.POSITIVE_INFINITY, 90),
                measured(9, 1, 0)));
    Map<String, Object> figures = survey.figures();
    assertThat(figures)
        .containsEntry("first_seed", 7L)
        .containsEntry("last_seed", 9L)
        .containsEntry("ratio_median", 1.01)
        .containsEntry("unfinished", 1L)
        .containsEntry("above_refusal_bound", 1L)
        .doesNotContainKey("ratio_worst");
    assertThat(figures.get("targets"))
        .isInstanceOfSatisfying(
            Map.class,
            targets -> {
              assertThat(targets.get("ratio_median"))
                  .isEqualTo(Map.of("target", 1.03, "met", true));
              assertThat(targets.get("refusals_per_thousand_90th_percentile"))
                  .isEqualTo(Map.of("target", 25.0, "met", false));
            });
    assertThat(survey.text())
        .contains(
            "pace on 3 random providers (seeds 7–9)",
            "median 1.010 (≤ 1.03: met)",
            "90th percentile 90.0 (≤ 25.0: missed)",
            "worst not finished",
            "seed 8: provider 8");
  }

  @Test
  void boundsRefusalsByAttemptsAndStrays() {
    assertThat(ProviderSurvey.isAboveBound(counts(1_000, 40, 0))).isFalse();
    assertThat(ProviderSurvey.isAboveBound(counts(1_000, 41, 0))).isTrue();
    assertThat(ProviderSurvey.isAboveBound(counts(1_000, 50, 10))).isFalse();
  }
}

package dev.weir.benchmarks.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Benchmark;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The benchmark works; what it measures is not judged here, where other work disturbs it. */
@Timeout(300)
class EvalBenchmarkTest {

  @Test
  void measuresAnEvaluationInAProcessOfItsOwn() throws Exception {
    var sizes = new EvalBenchmark.Sizes(200, 50, 20, 1, 1, 300, 40, Duration.ofSeconds(1), 1);
    Benchmark.Report report = new EvalBenchmark(sizes).run();
    assertThat(report.figures()).containsKeys("met", "rounds", "starts", "load");
    assertThat((List<?>) report.figures().get("figures"))
        .allSatisfy(
            figure -> {
              assertThat(((Map<?, ?>) figure).get("met")).isInstanceOf(Boolean.class);
              assertThat(((Map<?, ?>) figure).get("median"))
                  .isInstanceOfSatisfying(Double.class, median -> assertThat(median).isFinite());
              if (String.valueOf(((Map<?, ?>) figure).get("name")).startsWith("errors")) {
                assertThat(((Map<?, ?>) figure).get("best")).isEqualTo(0.0);
              }
            })
        .hasSize(13);
    assertThat(report.figures().get("many_in_flight"))
        .isInstanceOfSatisfying(
            Map.class, many -> assertThat(((Map<?, ?>) many).get("peak_in_flight")).isEqualTo(40));
    assertThat(report.text())
        .contains(
            "CPU of a sample, warm, ms", "command to first request", "CPU with metrics / without");
    assertThat(report.figures().get("metrics"))
        .isInstanceOfSatisfying(
            Map.class,
            metrics ->
                assertThat(((Map<?, ?>) metrics).get("whole_process_ratio"))
                    .isInstanceOfSatisfying(Double.class, ratio -> assertThat(ratio).isPositive()));
  }

  @Test
  void whatACollectorFillsGapsWithIsNotAlive() {
    assertThat(
            Watched.liveBytes(
                """
                 num     #instances         #bytes  class name (module)
                -------------------------------------------------------
                   1:        429864       28922904  [B (java.base@25.0.3)
                   2:          4324       11801696  [Ljdk.internal.vm.FillerElement; (java.base@25.0.3)
                   3:        100000        4800000  dev.weir.eval.dataset.Sample
                Total       1330786       45524600
                """))
        .isEqualTo(28_922_904 + 4_800_000);
  }
}

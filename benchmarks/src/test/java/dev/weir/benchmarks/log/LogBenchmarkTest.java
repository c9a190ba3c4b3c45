package dev.weir.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.DOUBLE;

import dev.weir.cli.Benchmark;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The benchmark works; what it measures is not judged here, where other work disturbs it. */
@Timeout(120)
class LogBenchmarkTest {

  @Test
  void measuresSmallAndLargeLogs() throws Exception {
    Benchmark.Report report =
        new LogBenchmark(new LogBenchmark.Sizes(100, 1_000, 3, 300, 20)).run();
    assertThat(report.figures())
        .containsKeys("met", "load", "summaries_seconds", "convert_micros_per_sample");
    assertThat((List<?>) report.figures().get("figures"))
        .allSatisfy(
            figure ->
                assertThat(((Map<?, ?>) figure).get("median"))
                    .isInstanceOfSatisfying(
                        Double.class, median -> assertThat(median).isFinite().isNotNegative()))
        .hasSize(6);
    assertThat((List<?>) report.figures().get("live_heap_mebibytes")).hasSize(5);
    // These do not depend on the machine.
    assertThat(report.figures().get("journal_bytes_per_sample"))
        .asInstanceOf(DOUBLE)
        .isBetween(300.0, 1_500.0);
    assertThat(report.figures().get("eval_bytes_per_sample"))
        .asInstanceOf(DOUBLE)
        .isBetween(800.0, 5_000.0);
    assertThat(report.text())
        .contains(
            "append, large log / small log",
            "opening the summary, s",
            "300 finished samples, .journal: command to first new call, s",
            "300 finished samples, .eval: command to first new call, s");
  }
}

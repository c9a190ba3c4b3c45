package dev.weir.benchmarks.selection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Benchmark;
import dev.weir.selection.Selectors;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SelectionBenchmarkTest {

  private static final int SEEDS = 20;

  /** With 300 seeds auto misses nothing on either table; so few can only show gross errors. */
  @Test
  void measuresEverySelectorOnEveryTable() throws IOException {
    Benchmark.Report report = new SelectionBenchmark(SEEDS).run();
    assertThat(report.figures()).containsEntry("seeds", SEEDS);
    List<?> tables = (List<?>) report.figures().get("tables");
    assertThat(tables)
        .hasSize(2)
        .allSatisfy(
            table -> {
              Map<?, ?> selectors = (Map<?, ?>) in(table, "selectors");
              assertThat(selectors).hasSize(Selectors.names().size() + 1);
              assertThat(figure(selectors, "brute_force", "mean_regret")).isZero();
              assertThat(figure(selectors, "brute_force", "evaluations_share")).isEqualTo(1);
              assertThat(figure(selectors, "auto", "mean_regret")).isLessThan(0.005);
              assertThat(figure(selectors, "auto", "evaluations_share")).isBetween(0.1, 0.45);
            });
    assertThat(report.text()).contains("AgentOpt's arm elimination", "hotpotqa: 68 combinations");
  }

  private static double figure(Map<?, ?> selectors, String selector, String name) {
    return (double) in(in(selectors, selector), name);
  }

  private static Object in(Object map, String name) {
    return Objects.requireNonNull(((Map<?, ?>) map).get(name), name);
  }
}

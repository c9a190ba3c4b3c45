package dev.weir.benchmarks.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.promises.PromiseReport.Run;
import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromiseReportTest {

  private static final Promise PROMISE = new Promise("3", "refusals", "20");

  private static PromiseReport report(Run... runs) {
    return new PromiseReport(PROMISE, List.of(runs));
  }

  private static Run run(String setup, long seed, double value) {
    return new Run(setup, seed, new Measured(value, 20));
  }

  @Test
  void aPromiseIsMetIfEachRunMeetsIt() {
    PromiseReport report = report(run("a", 1, 3), run("a", 2, 20), run("b", 1, 4));
    assertThat(report.isMet()).isTrue();
    assertThat(report.line()).contains("3", "met", "3/3", "20 of 20", "refusals (20)");
    assertThat(report.missed()).isEmpty();
    assertThat(report.figures())
        .containsEntry("met", true)
        .containsEntry("median", 4.0)
        .containsEntry("worst", 20.0)
        .containsEntry("worst_seed", 2L);
  }

  @Test
  void namesTheWorstSeedOfEachSetupThatMissedIt() {
    PromiseReport report =
        report(
            run("a", 1, 3),
            run("b", 1, 21),
            run("b", 2, Double.POSITIVE_INFINITY),
            run("c", 1, 25.5));
    assertThat(report.isMet()).isFalse();
    assertThat(report.line()).contains("MISSED", "1/4", "never of 20");
    assertThat(report.missed())
        .contains("2 of   2 runs      never", "seed 2: b", "25.50, allowed       20, seed 1: c")
        .doesNotContain(": a");
    assertThat(report.figures()).containsEntry("met", false).doesNotContainKey("worst");
  }
}

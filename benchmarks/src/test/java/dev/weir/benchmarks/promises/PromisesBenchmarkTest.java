package dev.weir.benchmarks.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.cli.Benchmark.Report;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class PromisesBenchmarkTest {

  private static final Series SERIES =
      Series.of(
          List.of(setup("one a minute"), setup("one at a time")),
          new Promise("3", "refusals", "1000"),
          new Promise("3", "attempts", "1"));

  private static Setup setup(String adversary) {
    Adversary found =
        Adversary.all().stream()
            .filter(each -> each.name().equals(adversary))
            .findFirst()
            .orElseThrow();
    return new Setup(
        adversary,
        seed -> found.instance().apply(seed).trial().run(seed),
        (traffic, _) ->
            List.of(
                new Measured(traffic.refusals(), 1_000),
                new Measured(traffic.attempts().size(), 1)));
  }

  @Test
  void measuresEachPromiseOnEachSetupAndSeed() throws Exception {
    Report report = new PromisesBenchmark(List.of(SERIES)).run();
    assertThat(report.text())
        .containsPattern("3 +met +10/10 .* refusals \\(1000\\)")
        .containsPattern("3 +MISSED +0/10 .* attempts \\(1\\)")
        .contains("5 of   5 runs", ": one at a time");
    assertThat(report.figures().get("promises"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(2);
  }

  @Test
  void theSameSeedsGiveTheSameReport() throws Exception {
    assertThat(new PromisesBenchmark(List.of(SERIES)).run())
        .isEqualTo(new PromisesBenchmark(List.of(SERIES)).run());
  }

  /** A setup that is measured twice under one name would hide one of the two. */
  @Test
  void setupsOfASeriesHaveDifferentNames() {
    assertThat(Promises.all())
        .isNotEmpty()
        .allSatisfy(
            series -> assertThat(series.setups()).extracting(Setup::name).doesNotHaveDuplicates());
  }
}

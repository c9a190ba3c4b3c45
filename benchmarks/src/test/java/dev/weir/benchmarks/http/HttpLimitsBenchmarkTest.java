package dev.weir.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.cli.Benchmark;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The benchmark works; what it measures is not judged here, where other work disturbs it. */
@Timeout(300)
class HttpLimitsBenchmarkTest {

  private static final double SHARE = 0.02;

  @TempDir private Path directory;

  /** One row for each API, and one that is measured with and without strays. */
  @Test
  void measuresRowsWithEvaluationsOverHttp() throws Exception {
    List<String> lines = new ArrayList<>();
    Benchmark.Report report =
        new HttpLimitsBenchmark(SHARE)
            .run(new Benchmark.Rows(Set.of(14, 1, 8), OptionalInt.of(2)), lines::add);
    assertThat(report.figures()).doesNotContainKey("scenarios");
    List<?> rows = (List<?>) Objects.requireNonNull(report.figures().get("rows"));
    assertThat(rows)
        .extracting(row -> (Object) ((Map<?, ?>) row).get("row"))
        .containsExactly(1, 8, 14);
    for (Object row : rows) {
      Map<?, ?> figures = (Map<?, ?>) row;
      assertThat(figures.get("ended")).isEqualTo(true);
      assertThat(figures.get("unanswered")).isEqualTo(0L);
      assertThat((Long) figures.get("attempts"))
          .isEqualTo(number(figures, "requests") + number(figures, "refusals"));
      assertThat((Double) figures.get("makespan_seconds")).isPositive();
    }
    assertThat(report.text()).contains("openai, consistent", "anthropic, whole seconds, 8 s");
    assertThat(lines).hasSize(4).first().asString().contains("refused/1,000");
  }

  private static long number(Map<?, ?> figures, String name) {
    return ((Number) Objects.requireNonNull(figures.get(name))).longValue();
  }

  @Test
  void measuresScenariosBesideTheEventLoop() throws Exception {
    assertThat(new HttpLimitsBenchmark(SHARE).scenarios(Time.system()))
        .hasSize(3)
        .allSatisfy(row -> assertThat(row.duplicates()).isZero());
  }

  @Test
  void stopsARunThatTakesTooLong() throws Exception {
    HttpProviderRun run =
        HttpProviderRun.of(Time.system(), HttpProvider.all().getLast(), directory, Duration.ZERO);
    assertThat(run.ended()).isFalse();
    assertThat(run.isMet()).isFalse();
    assertThat(run.unanswered()).isPositive();
    assertThat(run.text()).contains("missed, stopped with");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void rejectsARowThatDoesNotExist() {
    var rows = new Benchmark.Rows(Set.of(3, 18), OptionalInt.empty());
    assertThatThrownBy(() -> new HttpLimitsBenchmark(SHARE).run(rows, _ -> {}))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("there is no row 18; the rows are 1 to 17");
  }

  /** What simulator/peers/provider/rows.py says of the same rows. */
  @ParameterizedTest
  @CsvSource({
    " 1, 0, 69.9",
    " 8, 0, 72.0",
    " 9, 0, 72.0",
    "13, 0, 71.4",
    "13, 12, 69.4",
    "13, 5, 66.4",
    "15, 0, 71.4",
    "16, 0, 115.4",
    "17, 0, 66.67"
  })
  void theOptimumFollowsFromTheLimits(int row, int firstRequestAt, double seconds) {
    HttpProvider provider = HttpProvider.all().get(row - 1);
    assertThat(provider.number()).isEqualTo(row);
    assertThat(provider.optimumSeconds(Duration.ofSeconds(firstRequestAt)))
        .isCloseTo(seconds, within(0.1));
  }

  @ParameterizedTest
  @CsvSource({"77, 13, true", "77, 15, false", "78, 13, false"})
  void aTargetBoundsMakespanAndRefusals(double seconds, int refusals, boolean met) {
    HttpProvider provider = HttpProvider.all().getFirst();
    assertThat(new HttpProviderRun(provider, 70, seconds, 1_400, refusals, true, 0).isMet())
        .isEqualTo(met);
    assertThat(new HttpProviderRun(provider, 70, seconds, 1_400, refusals, true, 1).isMet())
        .isFalse();
  }

  @Test
  void aHungRequestMayTakeTwoMinutesMore() {
    HttpProvider provider = HttpProvider.all().getLast();
    assertThat(new HttpProviderRun(provider, 67, 186, 2_000, 0, true, 0).isMet()).isTrue();
    assertThat(new HttpProviderRun(provider, 67, 188, 2_000, 0, true, 0).isMet()).isFalse();
  }
}

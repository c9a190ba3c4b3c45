package dev.weir.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Benchmark;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The benchmark works; what it measures is not judged here, where other work disturbs it. */
class HttpLimitsBenchmarkTest {

  @Test
  void measuresScenariosAndProvidersOverHttp() throws Exception {
    Benchmark.Report report = new HttpLimitsBenchmark(0.02).run();
    assertThat(report.figures().get("scenarios"))
        .isInstanceOfSatisfying(
            List.class,
            rows -> {
              assertThat((List<?>) rows).hasSize(3);
              for (Object row : rows) {
                assertThat(((Map<?, ?>) row).get("http_duplicates")).isEqualTo(0L);
              }
            });
    assertThat(report.figures().get("providers"))
        .isInstanceOfSatisfying(
            List.class,
            rows -> {
              assertThat((List<?>) rows).hasSize(16);
              int number = 0;
              for (Object row : rows) {
                assertThat(((Map<?, ?>) row).get("row")).isEqualTo(++number);
                assertThat(((Map<?, ?>) row).get("met")).isInstanceOf(Boolean.class);
              }
            });
    assertThat(report.text()).contains("over HTTP", "openai-stale, 20/s, burst 25");
  }
}

package dev.weir.benchmarks.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Benchmark;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The benchmark works; what it measures is not judged here, where other work disturbs it. */
@Timeout(300)
class TransportBenchmarkTest {

  @Test
  void measuresCallsOfAProcessToAnother() throws Exception {
    Benchmark.Report report =
        new TransportBenchmark(new TransportBenchmark.Sizes(20, 2, 2, 50, 1, 5)).run();
    assertThat(report.figures()).containsKeys("met", "rate", "memory", "interrupts");
    assertThat((List<?>) report.figures().get("figures"))
        .allSatisfy(
            figure -> {
              assertThat(((Map<?, ?>) figure).get("met")).isInstanceOf(Boolean.class);
              if (String.valueOf(((Map<?, ?>) figure).get("name")).startsWith("errors")) {
                assertThat(((Map<?, ?>) figure).get("best")).isEqualTo(0.0);
              }
            })
        .hasSizeGreaterThan(6);
    assertThat(report.figures().get("memory"))
        .isInstanceOfSatisfying(
            Map.class,
            memory -> assertThat(((Map<?, ?>) memory).get("peak_in_flight")).isEqualTo(50));
    assertThat(report.text()).contains("share of the ideal rate", "client CPU of a call, µs");
  }

  @Test
  void aFigureIsJudgedByItsTarget() {
    assertThat(new Figure("rate", "", 0.9, 0.5, 0.9, true).met()).isTrue();
    assertThat(new Figure("rate", "", 0.89, 0.5, 0.9, true).met()).isFalse();
    assertThat(new Figure("time", "ms", 50, 50, 50, false).met()).isTrue();
    assertThat(new Figure("time", "ms", 50.1, 50, 50, false).met()).isFalse();
    assertThat(new Figure("none", "", Double.NaN, 0, 50, false).met()).isFalse();
  }
}

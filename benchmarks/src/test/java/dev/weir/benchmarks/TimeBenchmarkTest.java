package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import dev.weir.cli.Benchmark;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class TimeBenchmarkTest {

  @Test
  void bothWaysHandleEachWait() throws Exception {
    var figures = new TimeBenchmark(50).run().figures();
    assertThat(figures)
        .containsEntry("waits", 18_000L)
        .containsEntry("plain_queue_events", 18_000L)
        // The last wait is somewhere in the last ten seconds of the hour.
        .hasEntrySatisfying(
            "simulated_seconds",
            seconds -> assertThat(seconds).asInstanceOf(LONG).isBetween(3_590L, 3_600L));
  }

  @Test
  void isFoundByTheCommandLine() {
    assertThat(ServiceLoader.load(Benchmark.class))
        .extracting(Benchmark::name)
        .containsExactlyInAnyOrder(
            "time",
            "limits",
            "limits-http",
            "limits-plot",
            "permits",
            "transport",
            "eval",
            "log",
            "selection",
            "promises");
  }
}

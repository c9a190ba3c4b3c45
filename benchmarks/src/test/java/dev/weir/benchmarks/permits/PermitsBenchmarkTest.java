package dev.weir.benchmarks.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import dev.weir.benchmarks.permits.PermitsBenchmark.Effort;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.options.TimeValue;

/** It runs; figures of a run this short mean nothing. */
class PermitsBenchmarkTest {

  private static final TimeValue MOMENT = TimeValue.milliseconds(1);

  @Test
  void everyLimiterIsMeasured() throws Exception {
    var figures = new PermitsBenchmark(100, new Effort(0, 0, MOMENT, 1, MOMENT)).run().figures();
    assertThat(figures)
        .containsOnlyKeys("uncontended", "contended_by_2", "contended_by_1000", "memory");
    assertThat(figures.get("uncontended"))
        .asInstanceOf(MAP)
        .containsKeys("semaphore", "weir-static", "weir-pace");
    assertThat(figures.get("contended_by_1000"))
        .asInstanceOf(MAP)
        .containsKeys("semaphore", "concurrency-limits", "resilience4j", "weir-static");
    assertThat(figures.get("memory")).asInstanceOf(MAP).containsEntry("waiters", 100);
  }
}

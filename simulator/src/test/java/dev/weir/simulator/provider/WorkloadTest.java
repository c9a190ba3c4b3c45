package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {

  @Test
  void theSeedSaysAll() {
    Workload workload = Workload.ofTokens(500).withEstimateError(0.3);
    assertThat(workload.requests(1)).isEqualTo(workload.requests(1));
    assertThat(workload.requests(1)).isNotEqualTo(workload.requests(2));
  }

  @Test
  void latenciesAreLogNormal() {
    List<Long> latencies =
        Workload.of(20_000, Duration.ofSeconds(2)).requests(1).stream()
            .map(Request::latencyNanos)
            .sorted()
            .toList();
    assertThat(latencies.get(10_000) / 1e9).isBetween(1.95, 2.05);
    // One sigma above the median: e to the half times as long.
    assertThat(latencies.get(16_827) / 1e9).isBetween(3.2, 3.4);
  }

  @Test
  void outputDeterminesTheLatencyOfTokenRequests() {
    for (Request request : Workload.ofTokens(2_000).requests(1)) {
      assertThat(request.outputTokens()).isBetween(5, 1_024);
      assertThat(request.promptTokens()).isGreaterThanOrEqualTo(20);
      assertThat(request.estimatedTokens()).isEqualTo(request.reservedTokens());
      assertThat((request.latencyNanos() / 1e9 - 0.4) * 150 / request.outputTokens())
          .isBetween(0.4, 2.5);
    }
  }

  @Test
  void estimatesAreOffByTheErrorAndNothingElseChanges() {
    List<Request> exact = Workload.ofTokens(10_000).requests(1);
    List<Request> estimated = Workload.ofTokens(10_000).withEstimateError(0.3).requests(1);
    double[] factors =
        estimated.stream()
            .mapToDouble(request -> (double) request.estimatedTokens() / request.reservedTokens())
            .sorted()
            .toArray();
    assertThat(factors[5_000]).isBetween(0.98, 1.02);
    assertThat(factors[8_413]).isBetween(1.32, 1.38);
    assertThat(estimated)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("estimatedTokens")
        .isEqualTo(exact);
  }

  @Test
  void wavesComeLaterAndNothingElseChanges() {
    Workload workload =
        Workload.of(50)
            .inWaves(
                new Workload.Wave(10, Duration.ofSeconds(100), 2),
                new Workload.Wave(40, Duration.ofSeconds(200), Double.POSITIVE_INFINITY));
    List<Request> requests = workload.requests(1);
    assertThat(requests.subList(0, 10)).allMatch(request -> request.notBeforeNanos() == 0);
    assertThat(requests.get(10).notBeforeNanos()).isEqualTo(100_000_000_000L);
    assertThat(requests.get(13).notBeforeNanos()).isEqualTo(101_500_000_000L);
    assertThat(requests.subList(40, 50))
        .allMatch(request -> request.notBeforeNanos() == 200_000_000_000L);
    assertThat(requests)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("notBeforeNanos")
        .isEqualTo(Workload.of(50).requests(1));
    assertThat(workload.withCount(5).requests(1)).isEqualTo(requests.subList(0, 5));
  }

  @Test
  void impossibleArgumentsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Workload.Wave(1, Duration.ZERO, 0))
        .withMessage("`perSecond` must be > 0, was 0.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Workload.of(0))
        .withMessage("`count` must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Request.exactlyEstimated(-1, 1, 1, 1, 1))
        .withMessage("`id` must be >= 0, was -1");
  }
}

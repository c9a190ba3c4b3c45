package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.price.PriceTable;
import dev.weir.telemetry.Telemetry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code /metrics} says of random histories of calls is what the provider has counted by
 * itself, to the nanosecond: on virtual time there is no network between them.
 */
class CallMetricsTest {

  /** What is left of sums of nanoseconds when they are written as seconds. */
  private static final double ROUNDING = 1e-6;

  /** A peak is forgotten after so long. */
  private static final int PEAK_SECONDS = 600;

  private record Metrics(List<String> lines, Stats provider) {

    static Metrics of(long seed) throws Exception {
      List<Telemetry> made = new ArrayList<>();
      Stats provider =
          CallHistory.of(
              seed,
              time -> {
                var telemetry = new Telemetry(time, PriceTable.builtIn()::priceOf);
                made.add(telemetry);
                return telemetry;
              });
      return new Metrics(
          made.getFirst().expose(Optional.empty()).text().lines().toList(), provider);
    }

    double sum(String name, String... parts) {
      Predicate<String> isMeant = line -> line.startsWith(name + "{");
      for (String part : parts) {
        isMeant = isMeant.and(line -> line.contains(part));
      }
      return lines.stream()
          .filter(isMeant)
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }

    long count(String name, String... parts) {
      return Math.round(sum(name, parts));
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
        26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40
      })
  void metricsAreExactlyWhatTheProviderCounts(long seed) throws Exception {
    Metrics metrics = Metrics.of(seed);
    Stats provider = metrics.provider();
    assertThat(provider.models()).containsOnlyKeys("one", "two");
    provider.models().forEach((model, totals) -> assertEqual(metrics, model, totals));
    RequestTotals all = provider.all();
    assertThat(metrics.sum("model_engine_inferences_in_flight_seconds_total"))
        .isCloseTo(all.openSeconds(), within(ROUNDING));
    if (provider.makespanSeconds() < PEAK_SECONDS) {
      assertThat(metrics.count("model_engine_inferences_in_flight_peak")).isEqualTo(all.peakOpen());
      provider
          .models()
          .forEach(
              (model, totals) ->
                  assertThat(
                          metrics.count(
                              "model_inferences_in_flight_peak",
                              "model_name=\"%s\"".formatted(model)))
                      .isEqualTo(totals.peakOpen()));
    }
    assertThat(metrics.count("model_inferences_total")).isEqualTo(provider.requests());
    assertThat(metrics.count("model_inference_refusals_total", "reason=\"rate_limit\""))
        .isEqualTo(all.refusals());
    assertThat(all.open()).isZero();
  }

  private static void assertEqual(Metrics metrics, String name, RequestTotals provider) {
    String model = "model_name=\"%s\"".formatted(name);
    assertThat(metrics.count("model_inferences_total", model)).isEqualTo(provider.requests());
    assertThat(metrics.count("model_inferences_total", model, "finish_reason=\"stop\""))
        .isEqualTo(provider.answers());
    assertThat(metrics.count("model_inferences_total", model, "error_type=\"rate_limited\""))
        .isEqualTo(provider.refusals());
    assertThat(metrics.count("model_inference_refusals_total", model))
        .isEqualTo(provider.refusals());
    assertThat(metrics.count("model_inferences_total", model, "error_type=\"other\""))
        .isEqualTo(provider.failures());
    assertThat(
            metrics.count("model_inferences_total", model, "finish_reason=\"cancelled\"")
                + metrics.count("model_inferences_total", model, "error_type=\"timeout\""))
        .isEqualTo(provider.cancelled());
    assertThat(metrics.count("inference_input_tokens_total", model))
        .isEqualTo(provider.promptTokens());
    assertThat(metrics.count("inference_output_tokens_total", model))
        .isEqualTo(provider.outputTokens());
    assertThat(metrics.count("inference_total_tokens_total", model))
        .isEqualTo(provider.promptTokens() + provider.outputTokens());
    assertThat(metrics.sum("model_inferences_in_flight_seconds_total", model))
        .isCloseTo(provider.openSeconds(), within(ROUNDING));
    assertThat(metrics.sum("inference_request_duration_seconds_sum", model))
        .isCloseTo(provider.openSeconds(), within(ROUNDING));
    assertThat(metrics.count("model_inferences_in_flight", model)).isEqualTo(provider.open());
  }

  /** Else the test above would prove less than it says. */
  @Test
  void theHistoriesHoldEverything() throws Exception {
    long refusals = 0;
    long failures = 0;
    long cancelled = 0;
    double seconds = 0;
    int peaks = 0;
    for (long seed = 1; seed <= 40; seed++) {
      Stats stats = Metrics.of(seed).provider();
      RequestTotals provider = stats.all();
      peaks += stats.makespanSeconds() < PEAK_SECONDS ? 1 : 0;
      refusals += provider.refusals();
      failures += provider.failures();
      cancelled += provider.cancelled();
      seconds += provider.openSeconds();
    }
    assertThat(peaks).isGreaterThan(20);
    assertThat(refusals).isGreaterThan(100);
    assertThat(failures).isGreaterThan(100);
    assertThat(cancelled).isGreaterThan(100);
    assertThat(seconds).isGreaterThan(1_000);
  }
}

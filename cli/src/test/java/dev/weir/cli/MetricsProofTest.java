package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.MetricsServer;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.trace.TraceRecord;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.simulator.server.Stats;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@code /metrics} says of an evaluation is what the provider has counted on the other side of
 * the network, and what the trace of the run adds up to.
 */
@Timeout(120)
class MetricsProofTest {

  private static final int SAMPLES = 50;

  /** Measured as 5 to 24 ms, on two cores at a load of 28. */
  private static final double NETWORK_SECONDS = 0.05;

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  private final List<TraceRecord> trace = new CopyOnWriteArrayList<>();
  private final List<String> atTheEnd = new ArrayList<>();
  private String saturationAtTheEnd = "";

  /** Reads what is served when the run has ended, over HTTP, just before the server is closed. */
  private MetricsServer.Serving serving(MetricsServer.Place place, Telemetry telemetry) {
    List<String> announced = new ArrayList<>();
    MetricsServer.Serving served =
        new MetricsEndpoint(Time.system(), Optional.empty(), announced::add)
            .start(place, telemetry);
    String metrics = announced.getFirst().replaceAll(".* at ", "");
    return () -> {
      try (served) {
        atTheEnd.addAll(get(metrics).lines().filter(line -> !line.startsWith("#")).toList());
        saturationAtTheEnd = get(metrics.replace("/metrics", "/api/saturation"));
      }
    };
  }

  private static String get(String address) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(address)).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  private double sum(String name, String... parts) {
    Predicate<String> isMeant = line -> line.startsWith(name + "{");
    for (String part : parts) {
      isMeant = isMeant.and(line -> line.contains(part));
    }
    return atTheEnd.stream()
        .filter(isMeant)
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private long count(String name, String... parts) {
    return Math.round(sum(name, parts));
  }

  private SimulatorServer serve() throws Exception {
    return SimulatorServer.start(
        Time.system(),
        WebSettings.loopback(0),
        Simulation.of(
            Optional.empty(),
            Map.of(
                Setting.LATENCY, List.of(new Given("test", "60ms:0.5")),
                Setting.RPM, List.of(new Given("test", "6000")),
                Setting.BURST, List.of(new Given("test", "20")),
                Setting.ERROR_RATE, List.of(new Given("test", "0.05"))),
            7));
  }

  private Path task() throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj("s%1$d,[[echo: %1$d]] and a few more words,%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: many
        dataset: many.csv
        solver: [generate, self_critique]
        scorer: includes
        metrics_port: 0
        """);
  }

  private Stats evaluated(String limits) throws Exception {
    try (SimulatorServer provider = serve()) {
      evaluate(provider.address().toString(), limits);
      return provider.stats();
    }
  }

  private void evaluate(String provider, String limits) throws Exception {
    var host =
        new Host(
                Map.of(
                    "OPENAI_API_KEY",
                    "sk-weir-test-0123456789abcdef",
                    "OPENAI_BASE_URL",
                    provider + "/v1",
                    "WEIR_MODEL_ENGINE_LIMITS",
                    limits),
                Optional.empty(),
                this::watch)
            .withMetrics(this::serving);
    Evaluation.prepare(
            Time.system(),
            task(),
            Settings.NONE
                .model("openai/gpt-4o,openai/gpt-4.1")
                .with("model-role", "critic=openai/gpt-4o-mini")
                .maxConnections(12)
                .requestBackoff(Duration.ofMillis(100))
                .logDir(directory.resolve("logs")),
            host)
        .run();
  }

  private void watch(LogLevel level, TraceRecord record) {
    if (record.event().equals(TraceRecord.HTTP)) {
      trace.add(record);
    }
  }

  @Test
  void metricsEqualTheCountsOfTheProvider() throws Exception {
    Stats provider = evaluated("{\"openai\": {\"gpt-4o\": 10, \"gpt-4.1\": {\"concurrency\": 8}}}");
    // Three calls of each sample, and what was refused or failed before.
    assertThat(provider.answers()).isEqualTo(2 * SAMPLES * 3L);
    assertThat(provider.allRefusals()).isPositive();
    assertThat(provider.allFailures()).isPositive();

    assertThat(count("model_inferences_total")).isEqualTo(provider.requests());
    assertThat(count("model_inferences_total", "error=\"no\"")).isEqualTo(provider.answers());
    assertThat(count("model_inferences_total", "error_type=\"rate_limited\""))
        .isEqualTo(provider.allRefusals());
    assertThat(count("model_inference_refusals_total")).isEqualTo(provider.allRefusals());
    assertThat(count("model_inferences_total", "error_type=\"other\""))
        .isEqualTo(provider.allFailures());
    assertThat(count("inference_request_duration_seconds_count")).isEqualTo(provider.requests());
    assertThat(count("inference_input_tokens_total")).isEqualTo(provider.promptTokens());
    assertThat(count("inference_output_tokens_total")).isEqualTo(provider.outputTokens());
    assertThat(count("inference_total_tokens_total"))
        .isEqualTo(provider.promptTokens() + provider.outputTokens());
    assertThat(count("model_inference_queue_wait_seconds_count")).isEqualTo(2 * SAMPLES * 3L);

    assertThat(count("model_inferences_in_flight")).isZero();
    assertThat(count("model_engine_inferences_in_flight")).isZero();
    assertThat(count("model_inferences_queue_depth")).isZero();
    // Refusals are in flight, too, until they are back.
    assertThat(sum("model_engine_inferences_in_flight_peak"))
        .isBetween((double) provider.peakInFlight(), 10.0);
    assertThat(sum("model_inferences_in_flight_peak", "gpt-4.1")).isLessThanOrEqualTo(8);
    assertThat(sum("model_engine_inferences_max_concurrent")).isEqualTo(10);
    assertThat(sum("model_engine_inferences_at_limit_seconds_total")).isPositive();
    assertThat(saturationAtTheEnd).contains("\"level\":\"hard\"", "\"percent\":");
  }

  /**
   * The other side is a process of its own, which counts what it receives. In flight at the client
   * is what is open at the provider, and on the way there and back: connecting, sending, and being
   * read by a busy machine. That is bounded as the mean of an attempt.
   */
  @Test
  void theIntegralIsWhatTheProviderCounts() throws Exception {
    try (WeirProcess simulate =
        WeirProcess.start(
            directory,
            List.of(
                "simulate",
                "--port=0",
                "--json",
                "--seed=3",
                "--latency=200ms:0.3",
                "--rpm=6000",
                "--burst=4",
                "--error-rate=0.05"))) {
      simulate.until(() -> simulate.words().contains("\"port\""));
      String address = JSON.readTree(simulate.words()).path("address").asString();
      evaluate(address, "{\"openai\": {\"gpt-4o\": 10, \"gpt-4.1\": {\"concurrency\": 8}}}");
      JsonNode stats = JSON.readTree(get(address + "/stats"));
      assertThat(stats.path("open").asInt()).isZero();
      assertThat(stats.path("refusals").path("total").asInt()).isPositive();
      JsonNode models = stats.path("models");
      assertThat(models.propertyNames())
          .containsExactlyInAnyOrder("gpt-4o", "gpt-4.1", "gpt-4o-mini");
      for (String name : models.propertyNames()) {
        requireEqual("model_name=\"%s\"".formatted(name), models.path(name));
      }
      assertThat(count("model_inferences_total")).isEqualTo(stats.path("requests").asLong());
      requireOnlyNetwork(
          sum("model_engine_inferences_in_flight_seconds_total"),
          stats.path("open_seconds").asDouble(),
          stats.path("requests").asLong());
      assertThat(count("model_engine_inferences_in_flight_peak"))
          .isBetween(stats.path("peak_open").asLong(), 10L);
    }
  }

  /** Counts exactly, what is in flight but for the network. */
  private void requireEqual(String model, JsonNode provider) {
    long requests = provider.path("requests").asLong();
    assertThat(count("model_inferences_total", model)).isEqualTo(requests);
    assertThat(count("model_inferences_total", model, "error=\"no\""))
        .isEqualTo(provider.path("answers").asLong());
    assertThat(count("model_inferences_total", model, "error_type=\"rate_limited\""))
        .isEqualTo(provider.path("refusals").asLong());
    assertThat(count("model_inference_refusals_total", model))
        .isEqualTo(provider.path("refusals").asLong());
    assertThat(count("model_inferences_total", model, "error_type=\"other\""))
        .isEqualTo(provider.path("failures").asLong());
    assertThat(count("inference_input_tokens_total", model))
        .isEqualTo(provider.path("prompt_tokens").asLong());
    assertThat(count("inference_output_tokens_total", model))
        .isEqualTo(provider.path("output_tokens").asLong());
    assertThat(count("model_inferences_in_flight_peak", model))
        .isGreaterThanOrEqualTo(provider.path("peak_open").asLong());
    requireOnlyNetwork(
        sum("model_inferences_in_flight_seconds_total", model),
        provider.path("open_seconds").asDouble(),
        requests);
  }

  private static void requireOnlyNetwork(double client, double provider, long requests) {
    double mean = (client - provider) / requests;
    assertThat(mean).isBetween(0.0, NETWORK_SECONDS);
  }

  @Test
  void theIntegralIsThatOfTheTrace() throws Exception {
    Stats provider = evaluated("{}");
    assertThat(trace).hasSize((int) provider.requests());
    for (String model : List.of("gpt-4o", "gpt-4.1", "gpt-4o-mini")) {
      double seconds =
          trace.stream()
              .map(TraceRecord::details)
              .filter(details -> ("openai/" + model).equals(details.get("model")))
              .mapToDouble(details -> (double) Objects.requireNonNull(details.get("took")))
              .sum();
      String label = "model_name=\"%s\"".formatted(model);
      // Both clocks are read one after the other, so attempts differ by microseconds.
      double error = 0.002 * trace.size();
      assertThat(sum("model_inferences_in_flight_seconds_total", label))
          .isCloseTo(seconds, within(Math.min(error, 0.02 * seconds)));
      assertThat(sum("inference_request_duration_seconds_sum", label))
          .isCloseTo(seconds, within(Math.min(error, 0.02 * seconds)));
    }
    assertThat(sum("model_engine_inferences_in_flight_seconds_total"))
        .isCloseTo(sum("model_inferences_in_flight_seconds_total"), within(1e-6));
    assertThat(atTheEnd).noneMatch(line -> line.startsWith("model_inferences_max_concurrent"));
  }
}

package dev.weir.otel;

import static dev.weir.otel.OtlpReceiver.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.simulator.server.Stats;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a receiver gets of an evaluation is what the provider has counted on the other side of the
 * network.
 */
@Timeout(120)
class EvaluationExportTest {

  private static final int SAMPLES = 30;
  private static final String KEY = "sk-weir-test-0123456789abcdef";

  @TempDir Path directory;

  private static SimulatorServer provider() throws Exception {
    return SimulatorServer.start(
        Time.system(),
        WebSettings.loopback(0),
        Simulation.of(
            Optional.empty(),
            Map.of(
                Setting.LATENCY, List.of(new Given("test", "40ms:0.5")),
                Setting.RPM, List.of(new Given("test", "2400")),
                Setting.BURST, List.of(new Given("test", "10")),
                Setting.ERROR_RATE, List.of(new Given("test", "0.2"))),
            7));
  }

  private Path task() throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj("s%1$d,confidential words [[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: many
        dataset: many.csv
        solver: [generate, self_critique]
        scorer: includes
        """);
  }

  private Stats evaluated(Map<String, String> variables) throws Exception {
    try (SimulatorServer provider = provider()) {
      Map<String, String> environment = new HashMap<>(variables);
      environment.put("OPENAI_API_KEY", KEY);
      environment.put("OPENAI_BASE_URL", provider.address() + "/v1");
      Evaluation.prepare(
              Time.system(),
              task(),
              Settings.NONE
                  .model("openai/gpt-4o")
                  .with("model-role", "critic=openai/gpt-4o-mini")
                  .maxConnections(12)
                  .requestBackoff(Duration.ofMillis(50))
                  .logDir(directory.resolve("logs")),
              new Host(environment, Optional.empty(), (_, _) -> {}))
          .run();
      return provider.stats();
    }
  }

  private static long count(OtlpReceiver receiver, Predicate<Map<String, String>> isMeant) {
    return receiver.points(GenAiNames.DURATION).stream()
        .filter(point -> isMeant.test(attributes(point.getAttributesList())))
        .mapToLong(HistogramDataPoint::getCount)
        .sum();
  }

  private static long tokens(OtlpReceiver receiver, String type) {
    return receiver.points(GenAiNames.TOKENS).stream()
        .filter(
            point -> type.equals(attributes(point.getAttributesList()).get("gen_ai.token.type")))
        .mapToLong(point -> Math.round(point.getSum()))
        .sum();
  }

  @Test
  void totalsEqualTheCountsOfTheProvider() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      Stats provider = evaluated(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address()));
      assertThat(provider.answers()).isEqualTo(3L * SAMPLES);
      assertThat(provider.allRefusals()).isPositive();
      assertThat(provider.allFailures()).isPositive();

      assertThat(count(receiver, _ -> true)).isEqualTo(provider.requests());
      assertThat(count(receiver, one -> !one.containsKey("error.type")))
          .isEqualTo(provider.answers());
      assertThat(count(receiver, one -> "rate_limited".equals(one.get("error.type"))))
          .isEqualTo(provider.allRefusals());
      assertThat(count(receiver, one -> "500".equals(one.get("error.type"))))
          .isEqualTo(provider.allFailures());
      assertThat(tokens(receiver, "input")).isEqualTo(provider.promptTokens());
      assertThat(tokens(receiver, "output")).isEqualTo(provider.outputTokens());

      Map<Boolean, List<Span>> spans =
          receiver.spans().stream()
              .collect(Collectors.partitioningBy(span -> span.getParentSpanId().isEmpty()));
      List<Span> calls = spans.getOrDefault(true, List.of());
      List<Span> attempts = spans.getOrDefault(false, List.of());
      assertThat(calls).hasSize(3 * SAMPLES);
      assertThat(calls).extracting(Span::getName).containsOnly("chat gpt-4o", "chat gpt-4o-mini");
      assertThat(attempts).hasSize((int) provider.requests());
      assertThat(attempts.stream().filter(one -> "429".equals(status(one))))
          .hasSize((int) provider.allRefusals());
      assertThat(
              calls.stream()
                  .mapToLong(
                      call ->
                          Long.parseLong(
                              attributes(call.getAttributesList())
                                  .getOrDefault("gen_ai.usage.output_tokens", "0")))
                  .sum())
          .isEqualTo(provider.outputTokens());
      assertThat(calls)
          .allSatisfy(
              call ->
                  assertThat(attributes(call.getAttributesList()))
                      .containsEntry("server.address", "127.0.0.1")
                      .containsKey("server.port"));
      Map<Object, Long> attemptsOfCalls =
          attempts.stream()
              .collect(Collectors.groupingBy(Span::getParentSpanId, Collectors.counting()));
      assertThat(calls)
          .allSatisfy(
              call ->
                  assertThat(attributes(call.getAttributesList()).get("weir.call.attempts"))
                      .isEqualTo(String.valueOf(attemptsOfCalls.get(call.getSpanId()))));

      assertThat(receiver.received())
          .allSatisfy(
              one ->
                  assertThat(one.body().toString(StandardCharsets.ISO_8859_1))
                      .doesNotContain("confidential", KEY));
    }
  }

  private static String status(Span span) {
    return attributes(span.getAttributesList()).getOrDefault("http.response.status_code", "");
  }

  @Test
  void withoutVariablesNothingIsSent() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      evaluated(
          Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address(), "OTEL_SDK_DISABLED", "true"));
      assertThat(receiver.received()).isEmpty();
    }
  }
}

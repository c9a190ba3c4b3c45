package dev.weir.otel;

import static dev.weir.otel.OtlpReceiver.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Model;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.Time;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a receiver gets of calls on virtual time, to the nanosecond. */
@Timeout(60)
class OtlpExportTest {

  private static final double SECOND = 1e9;

  private static Span named(OtlpReceiver receiver, String name) {
    return receiver.spans().stream()
        .filter(span -> span.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static double seconds(Span span) {
    return (span.getEndTimeUnixNano() - span.getStartTimeUnixNano()) / SECOND;
  }

  private static HistogramDataPoint point(
      OtlpReceiver receiver, String metric, String attribute, Optional<String> value) {
    return receiver.points(metric).stream()
        .filter(
            point ->
                value.equals(
                    Optional.ofNullable(attributes(point.getAttributesList()).get(attribute))))
        .findFirst()
        .orElseThrow();
  }

  /** Two calls, one place: the second waits for 2 s, is refused after 1 s, and answered after 3. */
  private static void refusedOnce(ExportedCalls calls) throws Exception {
    Model model =
        calls.model(
            "openai/gpt-4o",
            "https://user:secret@api.example.com/v1?key=secret",
            1,
            attempt -> {
              calls.time.sleep(Duration.ofSeconds(attempt == 1 ? 2 : attempt == 2 ? 1 : 3));
              return attempt == 2
                  ? new Response.RateLimited(
                      "too much of your prompt",
                      new ResponseFacts(
                          List.of(), Optional.of(Duration.ofSeconds(7)), Optional.empty()),
                      ExportedCalls.origin(429))
                  : ExportedCalls.reply("a confidential answer");
            });
    Request request =
        Request.of("a confidential question")
            .with(GenerationSettings.NONE.withTemperature(0.5).withMaxTokens(100).withSeed(7));
    calls.run(
        () -> {
          Task<?> first = calls.start(model, request);
          calls.time.sleep(Duration.ofMillis(1));
          Task<?> second = calls.start(model, request);
          first.join(Time.NEVER);
          second.join(Time.NEVER);
        });
  }

  @Test
  void aCallIsASpanAndEachAttemptASpanWithinIt() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      var calls = ExportedCalls.to(receiver);
      refusedOnce(calls);
      List<Span> spans = receiver.spans();
      assertThat(spans).extracting(Span::getName).filteredOn("chat gpt-4o"::equals).hasSize(2);
      Span call =
          spans.stream()
              .filter(span -> span.getName().equals("chat gpt-4o"))
              .max((a, b) -> Double.compare(seconds(a), seconds(b)))
              .orElseThrow();
      List<Span> attempts =
          spans.stream()
              .filter(span -> span.getParentSpanId().equals(call.getSpanId()))
              .sorted((a, b) -> Long.compare(a.getStartTimeUnixNano(), b.getStartTimeUnixNano()))
              .toList();

      assertThat(call.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
      assertThat(call.getParentSpanId().isEmpty()).isTrue();
      assertThat(call.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
      assertThat(attempts).hasSize(2);
      assertThat(attempts)
          .allSatisfy(one -> assertThat(one.getTraceId()).isEqualTo(call.getTraceId()));
      // Made 1 ms after the first, which took 2 s.
      assertThat(
              (attempts.getFirst().getStartTimeUnixNano() - call.getStartTimeUnixNano()) / SECOND)
          .isEqualTo(1.999);
      assertThat(seconds(attempts.getFirst())).isEqualTo(1);
      assertThat(seconds(attempts.getLast())).isEqualTo(3);
      double backoff =
          (attempts.getLast().getStartTimeUnixNano() - attempts.getFirst().getEndTimeUnixNano())
              / SECOND;
      assertThat(backoff).isGreaterThanOrEqualTo(7);
      assertThat(seconds(call)).isCloseTo(1.999 + 1 + backoff + 3, within(1e-6));

      assertThat(attributes(attempts.getFirst().getAttributesList()))
          .containsOnly(
              entry("error.type", "rate_limited"),
              entry("http.response.status_code", "429"),
              entry("server.address", "api.example.com"),
              entry("server.port", "443"));
      assertThat(attempts.getFirst().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
      assertThat(attempts.getFirst().getStatus().getMessage()).isEmpty();
      assertThat(attributes(attempts.getLast().getAttributesList()))
          .containsOnly(
              entry("http.request.resend_count", "1"),
              entry("http.response.status_code", "200"),
              entry("server.address", "api.example.com"),
              entry("server.port", "443"));

      var seen = attributes(call.getAttributesList());
      assertThat(Double.parseDouble(seen.remove("weir.call.backoff_time")))
          .isCloseTo(backoff, within(1e-6));
      assertThat(seen)
          .containsOnly(
              entry("gen_ai.operation.name", "chat"),
              entry("gen_ai.system", "openai"),
              entry("gen_ai.request.model", "gpt-4o"),
              entry("gen_ai.request.temperature", "0.5"),
              entry("gen_ai.request.max_tokens", "100"),
              entry("gen_ai.request.seed", "7"),
              entry("gen_ai.response.finish_reasons", "[length]"),
              entry("gen_ai.usage.input_tokens", "30"),
              entry("gen_ai.usage.output_tokens", "10"),
              entry("server.address", "api.example.com"),
              entry("server.port", "443"),
              entry("weir.call.attempts", "2"),
              entry("weir.call.queue_time", "1.999"));
      assertThat(receiver.schemas()).containsOnly("https://opentelemetry.io/schemas/1.36.0");
      assertThat(calls.warnings).isEmpty();
    }
  }

  @Test
  void theLatestNamesReplaceTheOthers() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      refusedOnce(ExportedCalls.ofLatest(receiver));
      assertThat(attributes(named(receiver, "chat gpt-4o").getAttributesList()))
          .contains(
              entry("gen_ai.provider.name", "openai"),
              entry("gen_ai.usage.cache_read.input_tokens", "5"),
              entry("gen_ai.usage.cache_creation.input_tokens", "4"),
              entry("gen_ai.usage.reasoning.output_tokens", "3"))
          .doesNotContainKey("gen_ai.system");
      assertThat(receiver.points(GenAiNames.DURATION))
          .allSatisfy(
              point ->
                  assertThat(attributes(point.getAttributesList()))
                      .containsEntry("gen_ai.provider.name", "openai")
                      .doesNotContainKey("gen_ai.system"));
      assertThat(receiver.schemas()).containsOnly("");
    }
  }

  @Test
  void enginesHaveTheNamesOfTheVersion() {
    assertThat(List.of("azure", "bedrock", "google", "vertex", "mistral", "xai", "groq", "mine"))
        .extracting(GenAiNames.BASELINE::provider)
        .containsExactly(
            "az.ai.openai",
            "aws.bedrock",
            "gcp.gemini",
            "gcp.vertex_ai",
            "mistral_ai",
            "xai",
            "groq",
            "mine");
    assertThat(List.of("azure", "xai"))
        .extracting(GenAiNames.LATEST::provider)
        .containsExactly("azure.ai.openai", "x_ai");
  }

  @Test
  void durationsAreThoseOfAttemptsAtTheEngine() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      refusedOnce(ExportedCalls.to(receiver));
      var duration = receiver.metric("gen_ai.client.operation.duration");
      assertThat(duration.getUnit()).isEqualTo("s");
      assertThat(duration.getHistogram().getAggregationTemporality())
          .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
      HistogramDataPoint answered =
          point(receiver, GenAiNames.DURATION, "error.type", Optional.empty());
      assertThat(answered.getCount()).isEqualTo(2);
      assertThat(answered.getSum()).isEqualTo(5);
      assertThat(answered.getExplicitBoundsList())
          .startsWith(0.01, 0.02, 0.04)
          .endsWith(81.92, 163.84, 327.68, 655.36)
          .hasSize(17);
      assertThat(attributes(answered.getAttributesList()))
          .containsOnly(
              entry("gen_ai.operation.name", "chat"),
              entry("gen_ai.system", "openai"),
              entry("gen_ai.request.model", "gpt-4o"),
              entry("server.address", "api.example.com"),
              entry("server.port", "443"));
      HistogramDataPoint refused =
          point(receiver, GenAiNames.DURATION, "error.type", Optional.of("rate_limited"));
      assertThat(refused.getCount()).isEqualTo(1);
      assertThat(refused.getSum()).isEqualTo(1);
      // An example leads from the metric to the trace.
      assertThat(answered.getExemplarsList())
          .isNotEmpty()
          .allSatisfy(
              example ->
                  assertThat(receiver.spans())
                      .extracting(Span::getSpanId)
                      .contains(example.getSpanId()));
    }
  }

  @Test
  void tokensAreCountedByType() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      refusedOnce(ExportedCalls.to(receiver));
      assertThat(receiver.metric("gen_ai.client.token.usage").getUnit()).isEqualTo("{token}");
      HistogramDataPoint input =
          point(receiver, GenAiNames.TOKENS, "gen_ai.token.type", Optional.of("input"));
      assertThat(input.getSum()).isEqualTo(60);
      assertThat(input.getCount()).isEqualTo(2);
      assertThat(input.getExplicitBoundsList()).startsWith(1.0, 4.0).endsWith(67108864.0);
      assertThat(
              point(receiver, GenAiNames.TOKENS, "gen_ai.token.type", Optional.of("output"))
                  .getSum())
          .isEqualTo(20);
    }
  }

  @Test
  void aCallThatIsTakenBackEndsAndSaysSo() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      var calls = ExportedCalls.to(receiver);
      Model model =
          calls.model(
              "openai/gpt-4o",
              "",
              1,
              _ -> {
                calls.time.sleep(Duration.ofHours(1));
                return ExportedCalls.reply("never");
              });
      calls.run(
          () -> {
            Task<?> sent = calls.start(model, Request.of("one"));
            Task<?> waiting = calls.start(model, Request.of("two"));
            calls.time.sleep(Duration.ofSeconds(4));
            waiting.cancel();
            waiting.join(Time.NEVER);
            sent.cancel();
            sent.join(Time.NEVER);
          });
      assertThat(receiver.spans()).hasSize(3);
      assertThat(receiver.spans())
          .allSatisfy(
              span -> {
                assertThat(seconds(span)).isEqualTo(4);
                assertThat(attributes(span.getAttributesList()))
                    .containsEntry("error.type", "cancelled")
                    .doesNotContainKeys("server.address", "gen_ai.response.finish_reasons");
              });
      assertThat(
              point(receiver, GenAiNames.DURATION, "error.type", Optional.of("cancelled"))
                  .getCount())
          .isEqualTo(1);
    }
  }

  /** Clients of a gateway may make up names. */
  @Test
  void madeUpNamesOfModelsCountAsOther() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      var calls = ExportedCalls.to(receiver);
      calls.run(
          () -> {
            for (int i = 0; i < 105; i++) {
              Model model = calls.model("any/m" + i, "", 1, _ -> ExportedCalls.reply("yes"));
              calls.start(model, Request.of("hello")).join(Time.NEVER);
            }
          });
      assertThat(receiver.points(GenAiNames.DURATION)).hasSize(101);
      assertThat(
              point(receiver, GenAiNames.DURATION, "gen_ai.request.model", Optional.of("other"))
                  .getCount())
          .isEqualTo(5);
      assertThat(receiver.spans()).filteredOn(one -> one.getName().equals("chat other")).hasSize(5);
    }
  }

  @Test
  void variablesSayWhatIsSentAndAsWhom() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      refusedOnce(
          ExportedCalls.to(
              receiver,
              "OTEL_SERVICE_NAME",
              "nightly",
              "OTEL_RESOURCE_ATTRIBUTES",
              "team=blue,deployment.environment.name=ci",
              "OTEL_EXPORTER_OTLP_HEADERS",
              "api-key=top%20secret",
              "OTEL_EXPORTER_OTLP_COMPRESSION",
              "gzip",
              "OTEL_METRICS_EXPORTER",
              "none"));
      assertThat(receiver.received())
          .extracting(OtlpReceiver.Received::path)
          .containsOnly("/v1/traces");
      assertThat(attributes(receiver.resources().getFirst().getAttributesList()))
          .contains(
              entry("service.name", "nightly"),
              entry("team", "blue"),
              entry("deployment.environment.name", "ci"));
      assertThat(receiver.received().getFirst().headers().get("Api-key"))
          .containsExactly("top secret");
      assertThat(receiver.received().getFirst().headers().get("Content-type"))
          .containsExactly("application/x-protobuf");
    }
  }

  @Test
  void aSampledOutCallIsCountedAllTheSame() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      refusedOnce(ExportedCalls.to(receiver, "OTEL_TRACES_SAMPLER", "always_off"));
      assertThat(receiver.spans()).isEmpty();
      assertThat(point(receiver, GenAiNames.DURATION, "error.type", Optional.empty()).getCount())
          .isEqualTo(2);
    }
  }

  @Test
  void theServiceIsCalledWeirByDefault() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      refusedOnce(ExportedCalls.to(receiver));
      assertThat(attributes(receiver.resources().getFirst().getAttributesList()))
          .containsEntry("service.name", "weir");
    }
  }
}

package dev.weir.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Model;
import dev.weir.model.Request;
import dev.weir.telemetry.CallExporter;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A receiver that does not receive: the run goes its way, and one line says so. */
@Timeout(60)
class ExportFailureTest {

  private static final Logger SDK = Logger.getLogger("io.opentelemetry");

  /** Its stack traces, which the command line silences, too. */
  @BeforeAll
  static void silence() {
    SDK.setLevel(Level.OFF);
  }

  private static void calls(ExportedCalls calls, int count) throws Exception {
    Model model = calls.model("openai/gpt-4o", "", 1, _ -> ExportedCalls.reply("yes"));
    calls.run(
        () -> {
          for (int i = 0; i < count; i++) {
            calls.start(model, Request.of("hello")).join(Time.NEVER);
          }
        });
  }

  @Test
  void aRefusedCredentialIsReportedOnceAndNotQuoted() throws Exception {
    try (var receiver = OtlpReceiver.answering(401)) {
      var calls = ExportedCalls.to(receiver, "OTEL_EXPORTER_OTLP_HEADERS", "api-key=s3cret");
      calls(calls, 3);
      // Both were tried, and one line stands for both.
      assertThat(receiver.received())
          .extracting(OtlpReceiver.Received::path)
          .contains("/v1/traces", "/v1/metrics");
      assertThat(calls.warnings)
          .singleElement()
          .asString()
          .matches("OpenTelemetry: could not send (traces|metrics) to http://127.0.0.1:\\d+: .*")
          .endsWith(": HTTP status 401 (check OTEL_EXPORTER_OTLP_HEADERS); the run is not affected")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void aReceiverThatIsDownIsReportedOnce() throws Exception {
    var calls =
        new ExportedCalls(
            Time.system(),
            Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + unusedPort()));
    calls(calls, 3);
    // Not only that it took too long.
    assertThat(calls.warnings)
        .singleElement()
        .asString()
        .endsWith(": cannot connect; the run is not affected");
  }

  private static int unusedPort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** More calls than the queue holds, none of which waits; only the end does, and not for long. */
  @Test
  void aSilentReceiverDelaysTheEndAloneAndNotForLong() throws Exception {
    try (var receiver = OtlpReceiver.silent()) {
      var calls =
          new ExportedCalls(
              Time.system(),
              Map.of(
                  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                  receiver.address(),
                  "OTEL_BSP_MAX_QUEUE_SIZE",
                  "8",
                  "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
                  "4"));
      long begin = System.nanoTime();
      calls(calls, 200);
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      assertThat(receiver.received()).hasSize(1);
      assertThat(took).isBetween(OtlpExport.FLUSH_LIMIT, Duration.ofSeconds(20));
      assertThat(calls.warnings)
          .containsExactly(
              "OpenTelemetry: not everything was sent within 5 s; the run is not affected");
    }
  }

  /** What did not fit into the queue is gone; the end says how much that was. */
  @Test
  void droppedSpansAreCounted() throws Exception {
    try (var receiver = OtlpReceiver.silent()) {
      var calls =
          ExportedCalls.to(
              receiver,
              "OTEL_BSP_MAX_QUEUE_SIZE",
              "8",
              "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
              "4",
              "OTEL_METRICS_EXPORTER",
              "none");
      Model model = calls.model("openai/gpt-4o", "", 1, _ -> ExportedCalls.reply("yes"));
      calls.run(
          () -> {
            for (int i = 0; i < 200; i++) {
              calls.start(model, Request.of("hello")).join(Time.NEVER);
            }
            receiver.answer();
          });
      int sent = receiver.spans().size();
      assertThat(sent).isBetween(8, 100);
      assertThat(calls.warnings)
          .singleElement()
          .asString()
          .startsWith(
              "OpenTelemetry: %d of 400 spans were dropped, since the receiver is slower"
                  .formatted(400 - sent));
    }
  }

  @Test
  void metricsAloneDropNoSpans() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      var calls = ExportedCalls.to(receiver, "OTEL_TRACES_EXPORTER", "none");
      calls(calls, 3);
      assertThat(receiver.points(GenAiNames.DURATION)).hasSize(1);
      assertThat(receiver.spans()).isEmpty();
      assertThat(calls.warnings).isEmpty();
    }
  }

  /** After Ctrl+C, too, what was done is sent, and the run stays interrupted. */
  @Test
  void anInterruptedRunSendsWhatItDid() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      var calls = ExportedCalls.to(receiver);
      Model model = calls.model("openai/gpt-4o", "", 1, _ -> ExportedCalls.reply("yes"));
      var stayed = new AtomicBoolean();
      calls.inTask(
          () -> {
            CallExporter.Export export = calls.start();
            calls.start(model, Request.of("hello")).join(Time.NEVER);
            Thread.currentThread().interrupt();
            export.close();
            stayed.set(Thread.interrupted());
          });
      assertThat(receiver.spans()).hasSize(2);
      assertThat(receiver.points(GenAiNames.DURATION)).hasSize(1);
      assertThat(stayed).isTrue();
    }
  }
}

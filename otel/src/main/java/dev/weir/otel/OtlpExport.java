package dev.weir.otel;

import dev.weir.model.CallEvent;
import dev.weir.model.ConfigurationException;
import dev.weir.otel.OtelVariables.Signal;
import dev.weir.telemetry.CallExporter;
import dev.weir.time.Task;
import dev.weir.time.Time;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.autoconfigure.internal.AutoConfigureUtil;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.resources.Resource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * OpenTelemetry's SDK as its variables configure it, from the first call of a run to its end.
 *
 * <p>The SDK sends on threads of its own, from queues that drop what does not fit: a call never
 * waits for a receiver. Only the end of the run does, for {@link #FLUSH_LIMIT} at most.
 */
final class OtlpExport implements CallExporter.Export {

  static final Duration FLUSH_LIMIT = Duration.ofSeconds(5);

  /** For a receiver that is known to be down. */
  private static final Duration FAILING_FLUSH_LIMIT = Duration.ofSeconds(1);

  private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");
  private static final String SERVICE = "weir";
  private static final String UNKNOWN_SERVICE = "unknown_service";

  private final Time time;
  private final OpenTelemetrySdk sdk;
  private final ExportProblems problems;
  private final CallSpans spans;
  // Of those spans, as many as have left the queue.
  private final LongAdder taken;

  private OtlpExport(
      Time time, OpenTelemetrySdk sdk, ExportProblems problems, CallSpans spans, LongAdder taken) {
    this.time = time;
    this.sdk = sdk;
    this.problems = problems;
    this.spans = spans;
    this.taken = taken;
  }

  static OtlpExport start(Time time, OtelVariables variables, Consumer<String> warnings) {
    Map<String, String> properties = variables.properties(warnings);
    var problems = new ExportProblems(variables, warnings);
    var taken = new LongAdder();
    OpenTelemetrySdk sdk = sdk(variables, properties, problems, taken);
    GenAiNames names = variables.names();
    var metrics = new CallMetrics(names, sdk.getMeterProvider());
    var spans =
        new CallSpans(
            time,
            names,
            // The SDK makes spans also where nobody takes them.
            variables.signals().contains(Signal.TRACES)
                ? sdk.getTracerProvider()
                : TracerProvider.noop(),
            metrics,
            variables.capturesContent()
                ? CapturedContent.of(names, sdk.getLogsBridge())
                : CapturedContent.NONE);
    return new OtlpExport(time, sdk, problems, spans, taken);
  }

  private static OpenTelemetrySdk sdk(
      OtelVariables variables,
      Map<String, String> properties,
      ExportProblems problems,
      LongAdder taken) {
    AutoConfiguredOpenTelemetrySdkBuilder builder =
        AutoConfiguredOpenTelemetrySdk.builder()
            .disableShutdownHook()
            .addResourceCustomizer((resource, _) -> named(resource))
            .addSpanExporterCustomizer(
                (exporter, _) -> new WatchedSpans(ShortRetries.of(exporter), problems, taken))
            .addMetricExporterCustomizer(
                (exporter, _) -> new WatchedMetrics(ShortRetries.of(exporter), problems))
            .addLogRecordExporterCustomizer(
                (exporter, _) -> new WatchedLogs(ShortRetries.of(exporter), problems));
    try {
      // In place of the variables of the process: those of a run may come from elsewhere.
      return AutoConfigureUtil.setConfigPropertiesCustomizer(
              builder, _ -> DefaultConfigProperties.createFromMap(properties))
          .build()
          .getOpenTelemetrySdk();
    } catch (io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException wrong) {
      // Its text quotes values, headers among them, and so do its causes.
      throw new ConfigurationException(
          "OpenTelemetry cannot be set up: check %s, or set OTEL_SDK_DISABLED=true"
              .formatted(String.join(", ", variables.namedIn(String.valueOf(wrong.getMessage())))));
    }
  }

  private static Resource named(Resource resource) {
    String name = resource.getAttribute(SERVICE_NAME);
    return name == null || name.startsWith(UNKNOWN_SERVICE)
        ? resource.toBuilder().put(SERVICE_NAME, SERVICE).build()
        : resource;
  }

  @Override
  public void on(CallEvent event) {
    spans.on(event);
  }

  @Override
  public void close() {
    // A cancelled run ends here, too, and what it did is worth as much.
    boolean isInterrupted = Thread.interrupted();
    Duration limit = problems.isFailing() ? FAILING_FLUSH_LIMIT : FLUSH_LIMIT;
    Task<?> flush = time.start("the end of OpenTelemetry", this::flush);
    try {
      if (!flush.join(time.after(limit))) {
        flush.cancel();
        problems.report("not everything was sent within %d s".formatted(limit.toSeconds()));
      } else {
        reportDropped();
      }
    } catch (InterruptedException again) {
      flush.cancel();
      isInterrupted = true;
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A queue that is full drops what comes next, without a word. */
  private void reportDropped() {
    long dropped = spans.ended() - taken.sum();
    if (dropped > 0) {
      problems.report(
          "%d of %d spans were dropped, since the receiver is slower than the run; raise OTEL_BSP_MAX_QUEUE_SIZE or set OTEL_TRACES_SAMPLER"
              .formatted(dropped, spans.ended()));
    }
  }

  /** Longer than its own limits, and until it is cancelled. */
  private void flush() {
    var _ = sdk.shutdown().join(1, TimeUnit.MINUTES);
  }
}

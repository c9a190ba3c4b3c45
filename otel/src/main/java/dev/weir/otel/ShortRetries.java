package dev.weir.otel;

import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;

/**
 * Exporters that stop retrying after 2 s instead of 8: the end of a run waits for the last export,
 * and a receiver that is down would always cost it all of {@link OtlpExport#FLUSH_LIMIT}.
 */
final class ShortRetries {

  private static final RetryPolicy POLICY =
      RetryPolicy.builder()
          .setMaxAttempts(4)
          .setInitialBackoff(Duration.ofMillis(250))
          .setBackoffMultiplier(2)
          .build();

  private ShortRetries() {}

  static SpanExporter of(SpanExporter exporter) {
    if (exporter instanceof OtlpHttpSpanExporter http) {
      var _ = http.shutdown();
      return http.toBuilder().setRetryPolicy(POLICY).build();
    }
    return exporter;
  }

  static MetricExporter of(MetricExporter exporter) {
    if (exporter instanceof OtlpHttpMetricExporter http) {
      var _ = http.shutdown();
      return http.toBuilder().setRetryPolicy(POLICY).build();
    }
    return exporter;
  }

  static LogRecordExporter of(LogRecordExporter exporter) {
    if (exporter instanceof OtlpHttpLogRecordExporter http) {
      var _ = http.shutdown();
      return http.toBuilder().setRetryPolicy(POLICY).build();
    }
    return exporter;
  }
}

package dev.weir.otel;

import dev.weir.otel.OtelVariables.Signal;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.util.Collection;

/** An exporter of metrics whose failures are reported. */
record WatchedMetrics(MetricExporter exporter, ExportProblems problems) implements MetricExporter {

  @Override
  public CompletableResultCode export(Collection<MetricData> metrics) {
    return problems.watched(Signal.METRICS, exporter.export(metrics));
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
    return exporter.getAggregationTemporality(instrument);
  }

  @Override
  public Aggregation getDefaultAggregation(InstrumentType instrument) {
    return exporter.getDefaultAggregation(instrument);
  }

  @Override
  public MemoryMode getMemoryMode() {
    return exporter.getMemoryMode();
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}

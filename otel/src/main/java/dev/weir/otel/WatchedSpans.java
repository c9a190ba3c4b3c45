package dev.weir.otel;

import dev.weir.otel.OtelVariables.Signal;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;

/**
 * An exporter of spans whose failures are reported.
 *
 * @param taken counts those that have left the queue
 */
record WatchedSpans(SpanExporter exporter, ExportProblems problems, LongAdder taken)
    implements SpanExporter {

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    taken.add(spans.size());
    return problems.watched(Signal.TRACES, exporter.export(spans));
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

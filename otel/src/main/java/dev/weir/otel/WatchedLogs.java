package dev.weir.otel;

import dev.weir.otel.OtelVariables.Signal;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import java.util.Collection;

/** An exporter of log records whose failures are reported. */
record WatchedLogs(LogRecordExporter exporter, ExportProblems problems)
    implements LogRecordExporter {

  @Override
  public CompletableResultCode export(Collection<LogRecordData> records) {
    return problems.watched(Signal.LOGS, exporter.export(records));
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

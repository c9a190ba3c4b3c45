package dev.weir.otel;

import dev.weir.telemetry.CallExporter;
import dev.weir.time.Time;
import java.util.Map;
import java.util.function.Consumer;

/** Sends traces and metrics of calls by OTLP. */
public final class OtlpCallExporter implements CallExporter {

  /** For ServiceLoader. */
  public OtlpCallExporter() {}

  @Override
  public boolean isWanted(Map<String, String> environment) {
    return new OtelVariables(environment).areWanted();
  }

  @Override
  public Export start(Time time, Map<String, String> environment, Consumer<String> warnings) {
    return OtlpExport.start(time, new OtelVariables(environment), warnings);
  }
}

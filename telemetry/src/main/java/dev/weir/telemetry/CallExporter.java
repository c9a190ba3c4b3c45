package dev.weir.telemetry;

import dev.weir.model.CallEvent;
import dev.weir.model.CallListener;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * Sends what calls do to programs elsewhere, when standard variables ask for it. Found with {@link
 * ServiceLoader}, in the module {@code weir-otel}.
 */
public interface CallExporter {

  /** What the variables of OpenTelemetry begin with. */
  String PREFIX = "OTEL_";

  /** Whether the variables ask for anything to be sent. */
  boolean isWanted(Map<String, String> environment);

  /**
   * Begins to export; before the first call.
   *
   * @param warnings takes a sentence about what cannot be sent
   * @throws ConfigurationException if a variable has a value that cannot be used
   */
  Export start(Time time, Map<String, String> environment, Consumer<String> warnings);

  /** Ends with {@link #close}, which takes seconds at most. */
  interface Export extends CallListener, AutoCloseable {

    /** Sends nothing. */
    Export NONE =
        new Export() {
          @Override
          public void on(CallEvent event) {}

          @Override
          public void close() {}
        };

    @Override
    void close();
  }

  /** The exporter that the variables ask for. Without such a variable, nothing is loaded. */
  static Optional<CallExporter> find(Map<String, String> environment) {
    return environment.keySet().stream().anyMatch(name -> name.startsWith(PREFIX))
        ? ServiceLoader.load(CallExporter.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(exporter -> exporter.isWanted(environment))
            .findFirst()
        : Optional.empty();
  }
}

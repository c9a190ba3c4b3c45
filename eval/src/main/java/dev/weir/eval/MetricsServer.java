package dev.weir.eval;

import dev.weir.model.ConfigurationException;
import dev.weir.telemetry.Telemetry;
import java.util.Optional;

/**
 * Makes the metrics of a run readable from outside, where {@code metrics_port} asks for it. The
 * command {@code weir} has one over HTTP.
 */
@FunctionalInterface
public interface MetricsServer {

  /**
   * Begins to serve; before the first call of the run.
   *
   * @param telemetry what the calls of all models of the run do
   * @throws ConfigurationException if it is not possible to listen there
   */
  Serving start(Place place, Telemetry telemetry);

  /**
   * Where to listen.
   *
   * @param host an address of this machine; absent if only programs on it may connect
   * @param port 0 for any that is free
   */
  record Place(Optional<String> host, int port) {}

  /** Ends with {@link #close}, when the run has ended. */
  @FunctionalInterface
  interface Serving extends AutoCloseable {

    @Override
    void close();
  }
}

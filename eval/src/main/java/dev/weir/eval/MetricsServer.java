package dev.weir.eval;

import dev.weir.model.ConfigurationException;
import dev.weir.telemetry.Telemetry;

/**
 * Makes the metrics of a run readable from outside, where {@code metrics_port} asks for it. The
 * command {@code weir} has one over HTTP.
 */
@FunctionalInterface
public interface MetricsServer {

  /**
   * Begins to serve; before the first call of the run.
   *
   * @param port 0 for any that is free
   * @param telemetry what the calls of all models of the run do
   * @throws ConfigurationException if it is not possible to listen there
   */
  Serving start(int port, Telemetry telemetry);

  /** Ends with {@link #close}, when the run has ended. */
  @FunctionalInterface
  interface Serving extends AutoCloseable {

    @Override
    void close();
  }
}

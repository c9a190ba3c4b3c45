package dev.weir.cli;

import dev.weir.eval.MetricsServer;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.telemetry.Exposition;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.Routes;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

/**
 * Serves the metrics of a run on this machine.
 *
 * <pre>
 *   GET /metrics          for Prometheus, limits included
 *   GET /api/saturation   percent of limits, without the limits
 * </pre>
 *
 * @param announce prints a line for people: where the metrics are
 */
record MetricsEndpoint(Time time, Consumer<String> announce) implements MetricsServer {

  /** A scraper requests a page now and then. */
  private static final int MOST_CONNECTIONS = 64;

  private static final int LARGEST_BODY = 1 << 10;

  @Override
  public Serving start(int port, Telemetry telemetry) {
    try {
      WebServer server =
          WebServer.start(
              time,
              WebSettings.loopback(port)
                  .withMaxConnections(MOST_CONNECTIONS)
                  .withMaxInFlight(MOST_CONNECTIONS)
                  .withMaxBodyBytes(LARGEST_BODY),
              routes(telemetry));
      announce.accept("weir: metrics are at %s/metrics".formatted(server.address()));
      return server::close;
    } catch (IOException failed) {
      throw new ConfigurationException(
          String.valueOf(failed.getMessage()).contains("in use")
              ? "--metrics-port: another program listens on port %d of %s; choose another port, or 0 for any that is free"
                  .formatted(port, WebSettings.LOOPBACK)
              : "--metrics-port: Weir cannot listen on port %d of %s (%s); choose another port"
                  .formatted(
                      port,
                      WebSettings.LOOPBACK,
                      Printable.line(String.valueOf(failed.getMessage()))),
          failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CancellationException("cancelled while the metrics server was started");
    }
  }

  private static Routes routes(Telemetry telemetry) {
    return Routes.builder()
        .get(
            "/metrics",
            request -> {
              Exposition metrics = telemetry.expose(request.header("accept"));
              return Answer.body(
                  200, metrics.contentType(), metrics.text().getBytes(StandardCharsets.UTF_8));
            })
        .get("/api/saturation", _ -> Answer.json(200, telemetry.saturation().document()))
        .build();
  }
}

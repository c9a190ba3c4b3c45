package dev.weir.cli;

import dev.weir.eval.MetricsServer;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.telemetry.Telemetry;
import dev.weir.telemetry.page.SaturationPages;
import dev.weir.time.Time;
import dev.weir.web.Access;
import dev.weir.web.AccessToken;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

/**
 * Serves the metrics of a run on this machine, and how full its limits are.
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
      AccessToken token = AccessToken.fresh(time);
      var access = new Access(time, token, SaturationPages.ENTRANCE);
      WebServer server =
          WebServer.start(
              time,
              WebSettings.loopback(port)
                  .withMaxConnections(MOST_CONNECTIONS)
                  .withMaxInFlight(MOST_CONNECTIONS)
                  .withMaxBodyBytes(LARGEST_BODY),
              new SaturationPages(time, telemetry, access).handler());
      announce.accept("weir: metrics are at %s/metrics".formatted(server.address()));
      announce.accept(
          "weir: saturation is at %s%s; to see limits and counts, open this link, which works once: %s%s?%s=%s"
              .formatted(
                  server.address(),
                  SaturationPages.PAGE,
                  server.address(),
                  SaturationPages.ENTRANCE,
                  Access.FIELD,
                  token.reveal()));
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
}

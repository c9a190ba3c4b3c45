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
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

/**
 * Serves the metrics of a run, and how full its limits are.
 *
 * @param token what scrapers and readers must send, as configured; absent if each run has its own
 *     for readers, and scrapers on this machine need none
 * @param announce prints a line for people: where the metrics are
 */
record MetricsEndpoint(Time time, Optional<String> token, Consumer<String> announce)
    implements MetricsServer {

  /** The variable with the token. */
  static final String TOKEN = "WEIR_METRICS_TOKEN";

  /** A scraper requests a page now and then. */
  private static final int MOST_CONNECTIONS = 64;

  private static final int LARGEST_BODY = 1 << 10;

  /**
   * Connections that are left open must not keep scrapers out. Pages that follow are never idle.
   */
  private static final Duration IDLE = Duration.ofSeconds(70);

  static MetricsEndpoint of(Surroundings surroundings, Consumer<String> announce) {
    return new MetricsEndpoint(
        surroundings.time(), Optional.ofNullable(surroundings.environment().get(TOKEN)), announce);
  }

  @Override
  public Serving start(Place place, Telemetry telemetry) {
    Optional<AccessToken> configured = token.map(MetricsEndpoint::checked);
    WebSettings settings = settings(place);
    if (configured.isEmpty() && !settings.isLoopback()) {
      throw new ConfigurationException(
          "--metrics-host: %s can be reached from other machines, and metrics show configured limits, which are confidential; set %s to a token that Prometheus sends, or leave --metrics-host out"
              .formatted(Printable.line(settings.host()), TOKEN));
    }
    try {
      AccessToken valid = configured.orElseGet(() -> AccessToken.fresh(time));
      var access = new Access(time, valid, SaturationPages.ENTRANCE, configured.isEmpty());
      WebServer server =
          WebServer.start(
              time,
              settings,
              new SaturationPages(time, telemetry, access, configured.isPresent()).handler());
      announce.accept("weir: metrics are at %s/metrics".formatted(server.address()));
      announce.accept(
          "weir: saturation is at %s%s; to see limits and counts, %s"
              .formatted(
                  server.address(),
                  SaturationPages.PAGE,
                  configured.isPresent()
                      ? "enter the token of " + TOKEN
                      : "open this link, which works once: %s%s?%s=%s"
                          .formatted(
                              server.address(),
                              SaturationPages.ENTRANCE,
                              Access.FIELD,
                              valid.reveal())));
      return server::close;
    } catch (IOException failed) {
      throw new ConfigurationException(
          String.valueOf(failed.getMessage()).contains("in use")
              ? "--metrics-port: another program listens on port %d of %s; choose another port, or 0 for any that is free"
                  .formatted(place.port(), settings.host())
              : "--metrics-port: Weir cannot listen on port %d of %s (%s); choose another port%s"
                  .formatted(
                      place.port(),
                      Printable.line(settings.host()),
                      Printable.line(String.valueOf(failed.getMessage())),
                      place.host().isPresent() ? ", or another --metrics-host" : ""),
          failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CancellationException("cancelled while the metrics server was started");
    }
  }

  private static WebSettings settings(Place place) {
    return WebSettings.loopback(place.port())
        .withHost(place.host().orElse(WebSettings.LOOPBACK))
        .withMaxConnections(MOST_CONNECTIONS)
        .withMaxInFlight(MOST_CONNECTIONS)
        .withMaxBodyBytes(LARGEST_BODY)
        .withIdle(IDLE);
  }

  private static AccessToken checked(String word) {
    return AccessToken.of(word)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "%s must be one word of at least 32 characters; make one with: openssl rand -hex 32"
                        .formatted(TOKEN)));
  }
}

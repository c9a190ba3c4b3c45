package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.Handler;
import dev.weir.web.Request;
import dev.weir.web.Routes;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.net.URI;

/**
 * A simulated provider as an HTTP server.
 *
 * <pre>
 *   POST /v1/chat/completions   OpenAI's, also as a stream
 *   POST /v1/responses          OpenAI's, also as a stream
 *   POST /v1/messages           Anthropic's, also as a stream
 *   GET  /v1/models             in the shape of either
 *   GET  /stats                 what it has seen
 *   POST /stats/reset           counts from zero again
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class SimulatorServer implements AutoCloseable {

  private final Desk desk;
  private final Service service;
  private final Credentials credentials;
  private final WebServer web;

  private SimulatorServer(Time time, WebSettings settings, Simulation simulation)
      throws IOException, InterruptedException {
    this.desk = new Desk(time, simulation);
    this.service = new Service(time, simulation, desk);
    this.credentials = new Credentials(simulation.apiKey());
    this.web = WebServer.start(time, settings, routes());
  }

  /**
   * @param time the system's; outages and other times of the simulation count from now
   * @throws IOException if it is not possible to listen there
   */
  public static SimulatorServer start(Time time, WebSettings settings, Simulation simulation)
      throws IOException, InterruptedException {
    return new SimulatorServer(time, settings, simulation);
  }

  /** Where clients find it, without {@code /v1}. */
  public URI address() {
    return web.address();
  }

  public Stats stats() {
    return desk.stats();
  }

  @Override
  public void close() {
    web.close();
  }

  private Routes routes() {
    return Routes.builder()
        .post("/v1/chat/completions", calls(new ChatCompletions(HeaderStyle.OPENAI)))
        .post("/v1/responses", calls(new Responses(HeaderStyle.OPENAI)))
        .post("/v1/messages", calls(new Messages()))
        .get(ModelList.PATH, authorized(request -> Answer.json(200, ModelList.all(request))))
        .get(ModelList.PATH + "/*", authorized(request -> Answer.json(200, ModelList.one(request))))
        .get("/stats", _ -> Answer.json(200, desk.stats().document()))
        .post(
            "/stats/reset",
            _ -> {
              desk.reset();
              return Answer.json(200, desk.stats().document());
            })
        .otherwise(SimulatorServer::complain)
        .build();
  }

  private Handler calls(Dialect dialect) {
    return request -> service.complete(dialect, request, credentials.admit(request));
  }

  private Handler authorized(Handler handler) {
    return request -> {
      if (credentials.admit(request)) {
        return handler.handle(request);
      }
      desk.unauthorized();
      return Answer.error(401, "authentication_error", "The credential is missing or wrong.");
    };
  }

  /** In the words of the API whose path was asked. */
  private static Answer complain(Request request, int status, String type, String message) {
    String path = request.path();
    if (path.startsWith("/v1/messages") || !path.startsWith("/v1/")) {
      return Answer.error(status, type, message);
    }
    return new ChatCompletions(HeaderStyle.OPENAI).error(Fault.BAD_REQUEST, status, "", message);
  }
}

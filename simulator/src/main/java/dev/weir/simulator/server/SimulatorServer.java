package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.simulator.provider.Response;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.Handler;
import dev.weir.web.Request;
import dev.weir.web.Routes;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A simulated provider as an HTTP server.
 *
 * <pre>
 *   POST /v1/chat/completions   OpenAI's, also as a stream
 *   POST /v1/responses          OpenAI's, also as a stream
 *   POST /v1/messages           Anthropic's, also as a stream
 *   /v1/files, /v1/batches      OpenAI's batches
 *   /v1/messages/batches        Anthropic's
 *   GET  /v1/models             in the shape of either
 *   POST /openai/v1/…           OpenAI's two as Azure serves them
 *   POST /v1beta/models/…       Gemini's generateContent, also as a stream of events
 *   POST /v1/projects/…         the same as Vertex serves it
 *   POST /model/…/converse      Bedrock's
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
  private final Batches batches;
  private final BatchAnswers batchAnswers;
  private final WebServer web;

  private SimulatorServer(Time time, WebSettings settings, Simulation simulation)
      throws IOException, InterruptedException {
    this.desk = new Desk(time, simulation);
    this.service = new Service(time, simulation, desk);
    this.credentials = new Credentials(simulation.apiKey());
    this.batches = new Batches(time, simulation.batchTime());
    this.batchAnswers = new BatchAnswers(simulation);
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
    Routes.Builder routes = Routes.builder();
    new OpenAiBatches(
            batches,
            batchAnswers,
            Map.of(
                "/v1/chat/completions",
                new ChatCompletions(HeaderStyle.OPENAI),
                "/v1/responses",
                new Responses(HeaderStyle.OPENAI)))
        .addTo(routes, this::batched);
    new AnthropicBatches(batches, batchAnswers, new Messages()).addTo(routes, this::batched);
    return routes
        .post("/v1/chat/completions", calls(new ChatCompletions(HeaderStyle.OPENAI)))
        .post("/v1/responses", calls(new Responses(HeaderStyle.OPENAI)))
        .post("/v1/messages", calls(new Messages()))
        .post("/openai/v1/chat/completions", calls(new ChatCompletions(HeaderStyle.AZURE)))
        .post("/openai/v1/responses", calls(new Responses(HeaderStyle.AZURE)))
        .post(GenerateContent.DEVELOPER + "/*", this::generateContent)
        .post(GenerateContent.VERTEX + "/*", this::generateContent)
        .post(Converse.ROOT + "/*", this::converse)
        .get(ModelList.PATH, authorized(request -> Answer.json(200, ModelList.all(request))))
        .get(ModelList.PATH + "/*", authorized(request -> Answer.json(200, ModelList.one(request))))
        .get("/stats", _ -> Answer.json(200, document()))
        .post(
            "/stats/reset",
            _ -> {
              desk.reset();
              batches.reset();
              return Answer.json(200, document());
            })
        .otherwise(SimulatorServer::complain)
        .build();
  }

  private Map<String, Object> document() {
    Map<String, Object> document = desk.stats().document();
    document.put("batched", batches.document());
    return document;
  }

  private Handler calls(Dialect dialect) {
    return request -> service.complete(dialect, request, credentials.admit(request));
  }

  private Answer generateContent(Request request) throws InterruptedException {
    Optional<GenerateContent> dialect = GenerateContent.at(request);
    if (dialect.isEmpty()) {
      return nothingThere(request);
    }
    if (dialect.get().stream() && !List.of(request.query().split("&", -1)).contains("alt=sse")) {
      desk.badRequest();
      return dialect
          .get()
          .error(Fault.BAD_REQUEST, 400, "", "A stream comes as events alone: add ?alt=sse.");
    }
    return service.complete(dialect.get(), request, credentials.admit(request));
  }

  private Answer converse(Request request) throws InterruptedException {
    Optional<Converse> dialect = Converse.at(request);
    return dialect.isEmpty()
        ? nothingThere(request)
        : service.complete(dialect.get(), request, credentials.admitSigned(request));
  }

  private static Answer nothingThere(Request request) {
    return complain(request, 404, "not_found_error", "There is nothing at this path.");
  }

  /** Calls about batches meet no limit, but an outage and errors like all others. */
  private Handler batched(Handler handler) {
    return authorized(
        request -> {
          OptionalInt fault = desk.fault();
          return fault.isPresent()
              ? service.failure(
                  request.path().startsWith("/v1/messages")
                      ? new Messages()
                      : new ChatCompletions(HeaderStyle.OPENAI),
                  new Response.Failure(fault.getAsInt()))
              : handler.handle(request);
        });
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
    return dialect(request.path())
        .map(dialect -> dialect.error(Fault.BAD_REQUEST, status, "", message))
        .orElseGet(() -> Answer.error(status, type, message));
  }

  private static Optional<Dialect> dialect(String path) {
    if (path.startsWith("/v1/messages")) {
      return Optional.of(new Messages());
    }
    if (path.startsWith("/v1beta/") || path.startsWith(GenerateContent.VERTEX + "/")) {
      return Optional.of(new GenerateContent("", false, path.startsWith("/v1/")));
    }
    if (path.startsWith(Converse.ROOT + "/")) {
      return Optional.of(new Converse(""));
    }
    return path.startsWith("/v1/") || path.startsWith("/openai/")
        ? Optional.of(new ChatCompletions(HeaderStyle.OPENAI))
        : Optional.empty();
  }
}

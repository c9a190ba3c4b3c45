package dev.weir.simulator.server;

import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.simulator.provider.RefusalKind;
import dev.weir.simulator.provider.Response;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.EventSink;
import dev.weir.web.Handler;
import dev.weir.web.Request;
import dev.weir.web.Routes;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A simulated provider as an HTTP server.
 *
 * <pre>
 *   POST /v1/chat/completions   OpenAI's, also as a stream
 *   POST /v1/messages           Anthropic's, also as a stream
 *   GET  /v1/models             in the shape of either
 *   GET  /stats                 what it has seen
 *   POST /stats/reset           counts from zero again
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class SimulatorServer implements AutoCloseable {

  private static final String MODEL = "simulated";

  /** The part of an answer's time that passes before a stream begins. */
  private static final double FIRST_TOKEN = 0.3;

  private static final int MOST_PARTS = 40;

  private final Time time;
  private final Simulation simulation;
  private final Desk desk;
  private final Answerer answerer;
  private final AtomicLong sequence = new AtomicLong();
  private final WebServer web;

  private SimulatorServer(Time time, WebSettings settings, Simulation simulation)
      throws IOException, InterruptedException {
    this.time = time;
    this.simulation = simulation;
    this.desk = new Desk(time, simulation);
    this.answerer = new Answerer(simulation.script(), simulation.coin());
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
    var chat = new ChatCompletions();
    var messages = new Messages();
    return Routes.builder()
        .post("/v1/chat/completions", request -> complete(chat, request))
        .post("/v1/messages", request -> complete(messages, request))
        .get("/v1/models", authorized(request -> Answer.json(200, models(request))))
        .get("/v1/models/*", authorized(request -> Answer.json(200, model(request))))
        .get("/stats", _ -> Answer.json(200, desk.stats().document()))
        .post(
            "/stats/reset",
            _ -> {
              desk.reset();
              return Answer.json(200, desk.stats().document());
            })
        .build();
  }

  private Answer complete(Dialect dialect, Request request) throws InterruptedException {
    String id = "sim%08d".formatted(sequence.incrementAndGet());
    return answer(dialect, request, id).with(dialect.idHeader(), "req_" + id);
  }

  private Answer answer(Dialect dialect, Request request, String id) throws InterruptedException {
    if (!isAuthorized(request)) {
      desk.unauthorized();
      return dialect.error(
          Fault.UNAUTHORIZED, 401, "", "The credential is missing or not the one of --api-key.");
    }
    Call call;
    Answerer.Said said;
    try {
      call = dialect.read(Fields.parse(request.body()));
      said = answerer.answer(call.prompt(), request::header);
    } catch (BadCallException bad) {
      desk.badRequest();
      return dialect.error(Fault.BAD_REQUEST, 400, "", String.valueOf(bad.getMessage()));
    }
    if (said.status().isPresent()) {
      return scripted(dialect, said, said.status().getAsInt());
    }
    Call.Output output = call.cut(said.text());
    var reply = new Dialect.Reply(call, output, id, time.instant().getEpochSecond());
    Desk.Visit visit = desk.arrive(call, output.tokens(), said.latency());
    return switch (visit.admission()) {
      case Admission.Accepted(Work work) -> serve(dialect, reply, work, fingerprint(request));
      case Admission.Queued(Work work) -> {
        awaitTurn(visit, work);
        yield serve(dialect, reply, work, fingerprint(request));
      }
      case Admission.Hung(Work work) -> hang(work);
      case Admission.Refused(Response.Refusal refusal, long after) -> {
        pause(after);
        yield refusal(dialect, call, refusal);
      }
      case Admission.Failed(Response.Failure failure, long after) -> {
        pause(after);
        yield failure(dialect, failure);
      }
    };
  }

  private Answer scripted(Dialect dialect, Answerer.Said said, int status)
      throws InterruptedException {
    desk.scripted();
    pause(said.latency().map(Duration::toNanos).orElseGet(desk::drawLatency));
    return dialect.error(Fault.of(status), status, "", said.text());
  }

  private Answer serve(Dialect dialect, Dialect.Reply reply, Work work, long fingerprint)
      throws InterruptedException {
    var serving = new Serving(dialect, reply, work, fingerprint, time.nanos());
    Answer answer =
        reply.call().stream() ? Answer.events(serving::stream) : Answer.json(200, serving.whole());
    return answer.with(headers(dialect, work.answer()));
  }

  private void awaitTurn(Desk.Visit visit, Work work) throws InterruptedException {
    try {
      visit.turn().await();
    } catch (InterruptedException gone) {
      desk.abandon(work);
      throw gone;
    }
  }

  /** Until the client leaves. */
  private Answer hang(Work work) throws InterruptedException {
    try {
      while (true) {
        time.sleepUntil(Time.NEVER);
      }
    } finally {
      desk.abandon(work);
    }
  }

  /** The time that a provider takes to say no. */
  private void pause(long nanos) throws InterruptedException {
    try {
      time.sleep(Duration.ofNanos(nanos));
    } catch (InterruptedException gone) {
      desk.left();
      throw gone;
    }
  }

  private Answer refusal(Dialect dialect, Call call, Response.Refusal refusal) {
    HeaderStyle style = simulation.headers(dialect.style());
    Response.Refusal told = isTooLarge(call, refusal) ? withoutWait(refusal) : refusal;
    Answer answer =
        style
            .refusalBody(told)
            .map(
                body -> Answer.body(429, "application/json", body.getBytes(StandardCharsets.UTF_8)))
            .orElseGet(
                () ->
                    dialect.error(Fault.RATE_LIMITED, 429, type(told), RefusalText.of(call, told)));
    return answer.with(headers(dialect, told));
  }

  /** A request that is larger than the quota when it is full passes at no time. */
  private boolean isTooLarge(Call call, Response.Refusal refusal) {
    long reserved = (long) call.promptTokens() + call.maxTokens().orElse(0);
    return refusal.kind().filter(RefusalKind.TOKENS::equals).isPresent()
        && simulation.settings().tokens().filter(quota -> reserved > quota.burst()).isPresent();
  }

  private static Response.Refusal withoutWait(Response.Refusal refusal) {
    return new Response.Refusal(refusal.kind(), Optional.empty(), refusal.quota());
  }

  private static String type(Response.Refusal refusal) {
    return refusal
        .kind()
        .map(kind -> kind == RefusalKind.REQUESTS ? "requests" : "tokens")
        .orElse("");
  }

  private Answer failure(Dialect dialect, Response.Failure failure) {
    Fault fault = Fault.of(failure.status());
    String message =
        switch (fault) {
          case OUTAGE -> "The simulated provider is out of service.";
          case OVERLOAD -> "The simulated provider is overloaded.";
          default -> "The simulated provider had an error.";
        };
    return dialect.error(fault, failure.status(), "", message).with(headers(dialect, failure));
  }

  private Map<String, String> headers(Dialect dialect, Response response) {
    return simulation.headers(dialect.style()).render(response, time.instant());
  }

  private Handler authorized(Handler handler) {
    return request -> {
      if (isAuthorized(request)) {
        return handler.handle(request);
      }
      desk.unauthorized();
      return Answer.error(401, "authentication_error", "The credential is missing or wrong.");
    };
  }

  private boolean isAuthorized(Request request) {
    if (simulation.apiKey().isEmpty()) {
      return true;
    }
    byte[] wanted = simulation.apiKey().get().getBytes(StandardCharsets.UTF_8);
    return request
        .header("authorization")
        .filter(value -> value.regionMatches(true, 0, "Bearer ", 0, 7))
        .map(value -> value.substring(7).strip())
        .or(() -> request.header("x-api-key"))
        .or(() -> request.header("api-key"))
        // In constant time, though nothing is at stake here: it is copied elsewhere otherwise.
        .filter(given -> MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), wanted))
        .isPresent();
  }

  private static Map<String, Object> models(Request request) {
    Map<String, Object> list = new LinkedHashMap<>();
    list.put("object", "list");
    list.put("data", List.of(described(request, MODEL)));
    if (isAnthropic(request)) {
      list.remove("object");
      list.put("has_more", false);
      list.put("first_id", MODEL);
      list.put("last_id", MODEL);
    }
    return list;
  }

  private static Map<String, Object> model(Request request) {
    return described(request, request.path().substring("/v1/models/".length()));
  }

  private static Map<String, Object> described(Request request, String id) {
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("id", id);
    if (isAnthropic(request)) {
      model.put("type", "model");
      model.put("display_name", id);
      model.put("created_at", "2026-01-01T00:00:00Z");
    } else {
      model.put("object", "model");
      model.put("created", 1_767_225_600);
      model.put("owned_by", "weir");
    }
    return model;
  }

  private static boolean isAnthropic(Request request) {
    return request.header("anthropic-version").isPresent();
  }

  /** FNV-1a of the idempotency key, or else of the body: the same request has the same. */
  private static long fingerprint(Request request) {
    byte[] bytes =
        request
            .header("idempotency-key")
            .map(key -> ("key " + key).getBytes(StandardCharsets.UTF_8))
            .orElse(request.body());
    long hash = 0xcbf29ce484222325L;
    for (byte part : bytes) {
      hash = (hash ^ (part & 0xff)) * 0x100000001b3L;
    }
    return hash;
  }

  /** Admitted work on its way to the client: it is finished or abandoned, exactly once. */
  private final class Serving {

    private final Dialect dialect;
    private final Dialect.Reply reply;
    private final Work work;
    private final long fingerprint;
    private final long begin;

    Serving(Dialect dialect, Dialect.Reply reply, Work work, long fingerprint, long begin) {
      this.dialect = dialect;
      this.reply = reply;
      this.work = work;
      this.fingerprint = fingerprint;
      this.begin = begin;
    }

    Map<String, Object> whole() throws InterruptedException {
      boolean done = false;
      try {
        waitFor(1);
        done = true;
        finish();
        return dialect.answer(reply);
      } finally {
        if (!done) {
          desk.abandon(work);
        }
      }
    }

    void stream(EventSink sink) throws IOException, InterruptedException {
      boolean done = false;
      try {
        waitFor(FIRST_TOKEN);
        dialect.begin(reply, sink);
        List<String> parts = parts(reply.output().text());
        for (int i = 0; i < parts.size(); i++) {
          waitFor(FIRST_TOKEN + (1 - FIRST_TOKEN) * (i + 1) / parts.size());
          dialect.part(reply, parts.get(i), sink);
        }
        done = true;
        finish();
        dialect.end(reply, sink);
      } finally {
        if (!done) {
          desk.abandon(work);
        }
      }
    }

    private void waitFor(double share) throws InterruptedException {
      time.sleepUntil(begin + Math.round(share * work.request().latencyNanos()));
    }

    private void finish() {
      desk.finish(work, fingerprint, reply.call(), reply.output().tokens());
    }

    /** Words with the space before them, and not too many. */
    private static List<String> parts(String text) {
      int least = Math.ceilDiv(text.length(), MOST_PARTS);
      List<String> parts = new ArrayList<>();
      int from = 0;
      for (int i = 1; i < text.length(); i++) {
        if (i - from >= least && text.charAt(i) == ' ') {
          parts.add(text.substring(from, i));
          from = i;
        }
      }
      if (from < text.length()) {
        parts.add(text.substring(from));
      }
      return parts;
    }
  }
}

package dev.weir.simulator.server;

import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.RefusalKind;
import dev.weir.simulator.provider.Response;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Answers the calls of all APIs, under the same limits. Thread-safe. */
final class Service {

  private final Time time;
  private final Simulation simulation;
  private final Desk desk;
  private final Answerer answerer;
  private final AtomicLong sequence = new AtomicLong();

  Service(Time time, Simulation simulation, Desk desk) {
    this.time = time;
    this.simulation = simulation;
    this.desk = desk;
    this.answerer = new Answerer(simulation.script(), simulation.coin());
  }

  /**
   * @param admitted whether the request has the credential that is needed, if one is
   */
  Answer complete(Dialect dialect, Request request, boolean admitted) throws InterruptedException {
    String id = "sim%08d".formatted(sequence.incrementAndGet());
    Answer answer = admitted ? answer(dialect, request, id) : unauthorized(dialect);
    return dialect.idHeader().isEmpty() ? answer : answer.with(dialect.idHeader(), "req_" + id);
  }

  private Answer unauthorized(Dialect dialect) {
    desk.unauthorized();
    return dialect.error(
        Fault.UNAUTHORIZED, 401, "", "The credential is missing or not the one of --api-key.");
  }

  private Answer answer(Dialect dialect, Request request, String id) throws InterruptedException {
    Call call;
    Said said;
    try {
      call = dialect.read(Fields.parse(request.body()));
      said = answerer.answer(call, request::header);
    } catch (BadCallException bad) {
      desk.badRequest();
      return dialect.error(Fault.BAD_REQUEST, 400, "", String.valueOf(bad.getMessage()));
    }
    Answer answer =
        said.trouble().isPresent()
            ? troubled(dialect, call, said, said.trouble().get(), id)
            : admitted(dialect, call, said, id, fingerprint(request));
    return answer.with(said.headers());
  }

  private Answer troubled(Dialect dialect, Call call, Said said, Trouble trouble, String id)
      throws InterruptedException {
    desk.scripted(call);
    long latency = said.latency().map(Duration::toNanos).orElseGet(desk::drawLatency);
    pause(latency, call);
    desk.failed(call);
    return Misbehaviour.of(trouble, dialect, reply(call, call.output(said), id, latency));
  }

  private Answer admitted(Dialect dialect, Call call, Said said, String id, long fingerprint)
      throws InterruptedException {
    Call.Output output = call.output(said);
    Desk.Visit visit = desk.arrive(call, output.tokens(), said.latency());
    return switch (visit.admission()) {
      case Admission.Accepted(Work work) -> serve(dialect, call, output, id, work, fingerprint);
      case Admission.Queued(Work work) -> {
        awaitTurn(visit, work, call);
        yield serve(dialect, call, output, id, work, fingerprint);
      }
      case Admission.Hung(Work work) -> hang(work, call);
      case Admission.Refused(Response.Refusal refusal, long after) -> {
        pause(after, call);
        desk.refused(call);
        yield refusal(dialect, call, refusal);
      }
      case Admission.Failed(Response.Failure failure, long after) -> {
        pause(after, call);
        desk.failed(call);
        yield failure(dialect, failure);
      }
    };
  }

  private Answer serve(
      Dialect dialect, Call call, Call.Output output, String id, Work work, long fingerprint)
      throws InterruptedException {
    Dialect.Reply reply = reply(call, output, id, work.request().latencyNanos());
    Serving serving = new Serving(time, desk, dialect, reply, work, fingerprint);
    return serving.answer().with(headers(dialect, work.answer(), serving.headersAt()));
  }

  private Dialect.Reply reply(Call call, Call.Output output, String id, long latency) {
    return new Dialect.Reply(
        call, output, id, time.instant().getEpochSecond(), Duration.ofNanos(latency));
  }

  private void awaitTurn(Desk.Visit visit, Work work, Call call) throws InterruptedException {
    try {
      visit.turn().await();
    } catch (InterruptedException gone) {
      desk.abandon(work, call);
      throw gone;
    }
  }

  /** Until the client leaves, or the server closes the connection. */
  private Answer hang(Work work, Call call) throws InterruptedException {
    long deadline = simulation.hangTime().map(time::after).orElse(Time.NEVER);
    boolean expired = false;
    try {
      while (time.nanos() < deadline) {
        time.sleepUntil(deadline);
      }
      expired = true;
    } finally {
      if (!expired) {
        desk.abandon(work, call);
      }
    }
    desk.drop(work, call);
    return Answer.pieces(
        200,
        "application/json",
        _ -> {
          throw new IOException("hung for as long as --hang-time says");
        });
  }

  /** The time that a provider takes to say no. */
  private void pause(long nanos, Call call) throws InterruptedException {
    try {
      time.sleep(Duration.ofNanos(nanos));
    } catch (InterruptedException gone) {
      desk.left(call);
      throw gone;
    }
  }

  private Answer refusal(Dialect dialect, Call call, Response.Refusal refusal) {
    boolean tooLarge = isTooLarge(call, refusal);
    Response.Refusal told = tooLarge ? withoutWait(refusal) : refusal;
    return refusalBody(dialect, call, told, tooLarge).with(headers(dialect, told, time.nanos()));
  }

  /** Where the headers are advertised in a given way, the body does not say when to come back. */
  private Answer refusalBody(
      Dialect dialect, Call call, Response.Refusal refusal, boolean tooLarge) {
    boolean advertised = simulation.settings().advertising().as().isPresent();
    return simulation
        .headers(dialect.style())
        .refusalBody(refusal)
        .filter(_ -> !advertised)
        .map(body -> Answer.body(429, "application/json", body.getBytes(StandardCharsets.UTF_8)))
        .orElseGet(
            () ->
                dialect.error(
                    Fault.RATE_LIMITED,
                    429,
                    type(refusal),
                    advertised && !tooLarge
                        ? RefusalText.withoutWait(call, refusal)
                        : RefusalText.of(call, refusal)));
  }

  /** A request that is larger than the quota when it is full passes at no time. */
  private boolean isTooLarge(Call call, Response.Refusal refusal) {
    return refusal.kind().filter(kind -> kind != RefusalKind.REQUESTS).isPresent()
        && simulation.fitsNoQuota(call.promptTokens(), simulation.reserved(call.maxTokens()));
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

  /** In the words of the API. */
  Answer failure(Dialect dialect, Response.Failure failure) {
    Fault fault = Fault.of(failure.status());
    String message =
        switch (fault) {
          case OUTAGE -> "The simulated provider is out of service.";
          case OVERLOAD -> "The simulated provider is overloaded.";
          default -> "The simulated provider had an error.";
        };
    return dialect
        .error(fault, failure.status(), "", message)
        .with(headers(dialect, failure, time.nanos()));
  }

  private Map<String, String> headers(Dialect dialect, Response response, long sentAt) {
    return desk.advertised(response, sentAt)
        .orElseGet(() -> simulation.headers(dialect.style()).render(response, time.instant()));
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
}

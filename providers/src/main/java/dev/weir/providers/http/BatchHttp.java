package dev.weir.providers.http;

import dev.weir.limits.LimitKey;
import dev.weir.model.AttemptRecord;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.batch.BatchException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * The calls about batches of one model, under its credential; and what the results in them mean,
 * which is what they would mean if they had come alone. Thread-safe.
 */
public final class BatchHttp {

  private static final String JSON = "application/json";

  /** Results of the largest batch, at some 10 KB each. */
  private static final long MOST_RESULT_BYTES = 1L << 30;

  private static final int LONGEST_ERROR = 64 << 10;
  private static final byte[] NOTHING = new byte[0];

  private final HttpModel model;
  private volatile Consumer<AttemptRecord> exchanges = _ -> {};

  public BatchHttp(HttpModel model) {
    this.model = model;
  }

  /** Names who is told of each exchange from now on. */
  public void watch(Consumer<AttemptRecord> listener) {
    exchanges = listener;
  }

  /** The base address of the server. */
  public String endpoint() {
    return model.endpoint();
  }

  /** The body of a request, as it would be sent alone. */
  public byte[] body(Request request) {
    return model.wire().body(request, false);
  }

  public Json get(String address) throws BatchException, InterruptedException {
    return whole(call("GET", address, Map.of(), NOTHING));
  }

  public Json post(String address, byte[] json) throws BatchException, InterruptedException {
    return post(address, JSON, json);
  }

  public Json post(String address, String contentType, byte[] body)
      throws BatchException, InterruptedException {
    return whole(call("POST", address, Map.of("Content-Type", contentType), body));
  }

  /** What is done with each line of a response. */
  @FunctionalInterface
  public interface LineReader {

    void read(Json line) throws UnreadableException;
  }

  /** Reads a response of which each line is JSON. */
  public void lines(String address, LineReader reader) throws BatchException, InterruptedException {
    send(
        call("GET", address, Map.of("Accept", "*/*"), NOTHING),
        reply -> {
          var lines =
              new BufferedReader(new InputStreamReader(reply.body(), StandardCharsets.UTF_8));
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isBlank()) {
              reader.read(model.parsed(line));
            }
          }
          return Json.ABSENT;
        });
  }

  /**
   * What a result of a request means.
   *
   * @param status that the response would have had
   * @param body of that response, as {@link #lines} reads it
   * @param sent the body of the request
   */
  public Response read(int status, Json body, Optional<String> requestId, byte[] sent) {
    String text = model.redacted(body.toString());
    var origin =
        new Origin(
            model.name(),
            OptionalInt.of(status),
            "",
            requestId.map(model::redacted),
            sent.length,
            text.length(),
            Optional.of(new Origin.Raw(model.redacted(sent), text)));
    var reply = new ErrorReply(status, "", Map.of(), text, body, model.time().instant(), origin);
    if (!HttpModel.isAnswer(status)) {
      return model.meaning(reply);
    }
    try {
      return model.redacted(model.wire().decode(body, reply));
    } catch (UnreadableException why) {
      return model.redacted(
          new Response.UnreadableReply("the result cannot be read: " + why.getMessage(), origin));
    }
  }

  /** Of something that is not about one exchange. */
  public Origin origin() {
    return Origin.of(model.name());
  }

  /** A response that says something else than it should. */
  public BatchException unreadable(String why) {
    return new BatchException(
        new Response.UnreadableReply("the reply about a batch cannot be read: " + why, origin()));
  }

  /** Whether the provider says that there is no such thing. */
  public static boolean isAbsent(BatchException failed) {
    OptionalInt status = failed.failure().origin().status();
    return status.isPresent() && (status.getAsInt() == 404 || status.getAsInt() == 410);
  }

  private HttpCall call(String method, String address, Map<String, String> more, byte[] body) {
    Map<String, String> headers = new LinkedHashMap<>();
    // Address and credential of a model call; the address is another.
    headers.putAll(model.wire().call(NOTHING, false).headers());
    headers.keySet().removeIf(name -> more.keySet().stream().anyMatch(name::equalsIgnoreCase));
    headers.putAll(more);
    return new HttpCall(method, URI.create(address), headers, body);
  }

  private Json whole(HttpCall call) throws BatchException, InterruptedException {
    return send(
        call,
        reply -> model.parsed(new String(reply.body().readAllBytes(), StandardCharsets.UTF_8)));
  }

  private interface Reader {
    Json read(HttpReply reply) throws IOException, UnreadableException;
  }

  private Json send(HttpCall call, Reader reader) throws BatchException, InterruptedException {
    var exchange = new Exchanged(call);
    try {
      Json json = exchange.make(reader);
      exchange.tell(Optional.empty());
      return json;
    } catch (BatchException failed) {
      exchange.tell(Optional.of(failed.failure()));
      throw failed;
    }
  }

  /** One exchange, and what a trace shows of it. Not thread-safe. */
  private final class Exchanged {

    private final HttpCall call;
    private final Instant at = model.time().instant();
    private final long begin = model.time().nanos();
    private OptionalInt status = OptionalInt.empty();
    private String statusText = "";
    private Optional<String> requestId = Optional.empty();
    private long received;

    Exchanged(HttpCall call) {
      this.call = call;
    }

    Json make(Reader reader) throws BatchException, InterruptedException {
      try (HttpReply reply = model.transport().exchange(call, MOST_RESULT_BYTES)) {
        status = OptionalInt.of(reply.status());
        statusText = reply.statusText();
        requestId = model.requestId(reply.headers());
        try {
          return read(reply, reader);
        } finally {
          received = reply.body().count();
        }
      } catch (UnreadableException why) {
        throw unreadable(String.valueOf(why.getMessage()));
      } catch (IOException failed) {
        IOException broken = Transport.interruptedOr(failed);
        throw new BatchException(
            new ConnectionFailure(
                    broken, endpoint(), model.redacted(String.valueOf(broken)), origin())
                .meaning());
      }
    }

    private Json read(HttpReply reply, Reader reader)
        throws BatchException, IOException, UnreadableException {
      if (HttpModel.isAnswer(reply.status())) {
        return reader.read(reply);
      }
      byte[] error = reply.body().readNBytes(LONGEST_ERROR);
      throw new BatchException(
          model
              .classify(reply.status(), reply.statusText(), reply.headers(), error)
              .orElseThrow(() -> new IllegalStateException("not an answer, and not a failure")));
    }

    void tell(Optional<Response.Failure> failure) {
      LimitKey key = model.key();
      String account = key.account().isEmpty() ? "" : "@" + key.account();
      exchanges.accept(
          new AttemptRecord(
              at,
              key.engine() + account + "/" + key.model() + " (batch)",
              1,
              failure.map(Response.Failure::word).orElse("clean"),
              Duration.ZERO,
              Duration.ofNanos(model.time().nanos() - begin),
              failure.flatMap(Response.Failure::serverWait),
              failure.map(Response.Failure::message),
              Optional.empty(),
              new Origin(
                  model.name(),
                  status,
                  statusText,
                  requestId,
                  call.body().length,
                  received,
                  // Files of requests and of results: too much for a trace.
                  Optional.empty())));
    }
  }
}

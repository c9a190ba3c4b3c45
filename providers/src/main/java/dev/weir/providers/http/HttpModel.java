package dev.weir.providers.http;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.model.spi.RawCall;
import dev.weir.model.spi.RawReply;
import dev.weir.time.Time;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A model that is asked over HTTP: one exchange, from the request to a typed response. */
public final class HttpModel implements HttpAdapter {

  /** More of an error than this says nothing more. */
  private static final int LONGEST_ERROR = 64 << 10;

  private static final List<String> REQUEST_ID_HEADERS =
      List.of(
          "x-request-id",
          "request-id",
          "apim-request-id",
          "x-amzn-requestid",
          "x-goog-request-id",
          "cf-ray");

  private final ModelName name;
  private final LimitKey key;
  private final String endpoint;
  private final Wire wire;
  private final Secret secret;
  private final Transport transport;
  private final Time time;

  /**
   * @param endpoint the base address of the server
   * @param secret what must not be seen in any response
   */
  public HttpModel(
      ModelName name,
      LimitKey key,
      String endpoint,
      Wire wire,
      Secret secret,
      Transport transport,
      Time time) {
    this.name = name;
    this.key = key;
    this.endpoint = endpoint;
    this.wire = wire;
    this.secret = secret;
    this.transport = transport;
    this.time = time;
  }

  @Override
  public LimitKey key() {
    return key;
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    boolean stream = wire.canStream() && (wire.prefersStream() || listener.wantsChunks());
    byte[] body = wire.body(request, stream);
    var exchange = new Exchange(body);
    try (RawReply reply = transport.send(wire.call(body, stream))) {
      return exchange.read(reply, stream, listener);
    } catch (IOException failed) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException("cancelled").initCause(failed);
      }
      return exchange.broken(failed);
    }
  }

  @Override
  public RawReply raw(RawCall call) throws IOException, InterruptedException {
    boolean stream = Json.parseOrAbsent(text(call.body())).flag("stream").orElse(false);
    HttpCall ready = wire.call(call.body(), stream);
    Map<String, String> headers = new HashMap<>(call.headers());
    headers.putAll(ready.headers());
    try {
      return transport.send(new HttpCall(ready.uri(), headers, call.body()));
    } catch (IOException failed) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException("cancelled").initCause(failed);
      }
      throw failed;
    }
  }

  @Override
  public Optional<Response.Failure> classify(
      int status, String statusText, Map<String, List<String>> headers, byte[] body) {
    if (isAnswer(status)) {
      return Optional.empty();
    }
    String text = secret.redact(text(body));
    return Optional.of(
        wire.classify(
            new ErrorReply(
                status,
                statusText,
                headers,
                text,
                Json.parseOrAbsent(text),
                time.instant(),
                origin(status, statusText, headers))));
  }

  private static boolean isAnswer(int status) {
    return status >= 200 && status < 300;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private Origin origin(int status, String statusText, Map<String, List<String>> headers) {
    return new Origin(
        name, OptionalInt.of(status), statusText, requestId(headers), 0, 0, Optional.empty());
  }

  private static Optional<String> requestId(Map<String, List<String>> headers) {
    return REQUEST_ID_HEADERS.stream()
        .flatMap(header -> headers.getOrDefault(header, List.of()).stream())
        .findFirst();
  }

  /** One exchange on its way. Not thread-safe. */
  private final class Exchange {

    private final byte[] sent;
    private int status;
    private String statusText = "";
    private Map<String, List<String>> headers = Map.of();
    private String received = "";
    private long bytesReceived;

    Exchange(byte[] sent) {
      this.sent = sent;
    }

    Response read(RawReply reply, boolean stream, ExchangeListener listener)
        throws IOException, InterruptedException {
      status = reply.status();
      statusText = reply.statusText();
      headers = reply.headers();
      // Read on success too: that is how limits are known before they refuse anything.
      listener.facts(ResponseFactsParser.parse(headers, BodyHints.NONE, time.instant()));
      if (!isAnswer(status)) {
        receive(reply.body().readNBytes(LONGEST_ERROR));
        return wire.classify(errorReply(Json.parseOrAbsent(received)));
      }
      return stream && isEventStream() ? readEvents(reply, listener) : readWhole(reply, listener);
    }

    private Response readWhole(RawReply reply, ExchangeListener listener)
        throws IOException, InterruptedException {
      byte[] body = reply.body().readAllBytes();
      receive(body);
      try {
        Json json = Json.parse(body);
        Response response = wire.decode(json, errorReply(json));
        if (response instanceof Response.Reply answered) {
          tellWhole(answered, listener);
        }
        return response;
      } catch (UnreadableException unreadable) {
        return unreadable(unreadable);
      }
    }

    private Response readEvents(RawReply reply, ExchangeListener listener)
        throws IOException, InterruptedException {
      var counted = new BoundedStream(reply.body(), Long.MAX_VALUE);
      var events = new ServerEvents(new BufferedInputStream(counted));
      Wire.StreamDecoder decoder = wire.decoder();
      try {
        boolean done = false;
        for (@Nullable ServerEvent event = events.next(); event != null && !done; ) {
          done = decoder.event(event, listener);
          event = done ? event : events.next();
        }
        received = secret.redact(events.text());
        bytesReceived = counted.count();
        return decoder.end(errorReply(Json.ABSENT));
      } catch (UnreadableException unreadable) {
        received = secret.redact(events.text());
        bytesReceived = counted.count();
        return unreadable(unreadable);
      }
    }

    /** A server that cannot stream answered at once: one piece is better than none. */
    private void tellWhole(Response.Reply reply, ExchangeListener listener)
        throws InterruptedException {
      if (listener.wantsChunks()) {
        new WholeReply(reply).tell(listener);
      }
    }

    private boolean isEventStream() {
      return headers.getOrDefault("content-type", List.of()).stream()
          .anyMatch(type -> type.contains("event-stream"));
    }

    private void receive(byte[] body) {
      bytesReceived = body.length;
      received = secret.redact(text(body));
    }

    private ErrorReply errorReply(Json json) {
      return new ErrorReply(status, statusText, headers, received, json, time.instant(), origin());
    }

    private Origin origin() {
      return new Origin(
          name,
          status == 0 ? OptionalInt.empty() : OptionalInt.of(status),
          statusText,
          requestId(headers),
          sent.length,
          bytesReceived,
          Optional.of(new Origin.Raw(secret.redact(text(sent)), received)));
    }

    private Response unreadable(UnreadableException why) {
      return new Response.UnreadableReply(
          "%d: the reply cannot be read: %s".formatted(status, why.getMessage()), origin());
    }

    private Response broken(IOException failed) {
      String what = secret.redact(String.valueOf(failed));
      if (failed instanceof TooLargeException) {
        return new Response.UnreadableReply(status + ": " + failed.getMessage(), origin());
      }
      if (failed instanceof SSLException) {
        return new Response.Authentication(
            "no secure connection to %s: %s".formatted(endpoint, what),
            Outcome.Reach.ACCOUNT,
            origin());
      }
      return new Response.Transient("connection to %s: %s".formatted(endpoint, what), origin());
    }
  }
}

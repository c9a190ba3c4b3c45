package dev.weir.providers.http;

import dev.weir.limits.LimitKey;
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
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A model that is asked over HTTP: one exchange, from the request to a typed response. */
public final class HttpModel implements HttpAdapter {

  private static final int LONGEST_REQUEST_ID = 128;
  private static final int LONGEST_REASON = 200;

  private static final List<String> REQUEST_ID_HEADERS =
      List.of(
          "x-request-id",
          "request-id",
          "apim-request-id",
          "x-amzn-requestid",
          "x-goog-request-id",
          "cf-ray");

  /** They belong to one connection, and ours is another. */
  private static final Set<String> NOT_PASSED_ON =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** The caller's own, which are nobody's business: ours are added. */
  private static final Set<String> CREDENTIALS =
      Set.of(
          "api-key",
          "authorization",
          "cookie",
          "proxy-authorization",
          "x-amz-security-token",
          "x-api-key",
          "x-goog-api-key");

  private final ModelName name;
  private final LimitKey key;
  private final String endpoint;
  private final Wire wire;
  private final Secret secret;
  private final Transport transport;
  private final Time time;
  private volatile @Nullable Hiding hiding;

  /** A run adds the same fields to all of its requests. */
  private record Hiding(Map<String, String> fields, HttpModel model) {}

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
    this.secret = Secret.all(List.of(secret, transport.secret()));
    this.transport = transport;
    this.time = time;
  }

  /** The same model, which hides credentials among these fields, too. */
  private HttpModel hiding(Map<String, String> fields) {
    if (fields.isEmpty()) {
      return this;
    }
    Hiding known = hiding;
    if (known == null || !known.fields().equals(fields)) {
      Secret all = Secret.all(List.of(secret, NamedCredentials.inFields(fields)));
      known = new Hiding(fields, new HttpModel(name, key, endpoint, wire, all, transport, time));
      hiding = known;
    }
    return known.model();
  }

  @Override
  public LimitKey key() {
    return key;
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  ModelName name() {
    return name;
  }

  Wire wire() {
    return wire;
  }

  Time time() {
    return time;
  }

  Transport transport() {
    return transport;
  }

  @Override
  public OptionalInt maxTokens(Request request) {
    return wire.maxTokens(request);
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    boolean stream = wire.canStream() && (wire.prefersStream() || listener.wantsChunks());
    byte[] body;
    HttpCall call;
    try {
      body = wire.body(request, stream);
      call = wire.call(body, stream);
    } catch (IllegalArgumentException malformed) {
      // A tool or an extra field whose JSON is none: the request is at fault, and no other.
      return invalid("the request cannot be written", malformed);
    }
    HttpModel model = hiding(request.settings().extraBody());
    var exchange = new Exchange(model, body);
    try (HttpReply reply = transport.exchange(call)) {
      return model.redacted(exchange.read(reply, stream, listener));
    } catch (IOException failed) {
      return model.redacted(exchange.broken(Transport.interruptedOr(failed)));
    }
  }

  private Response.Failure invalid(String what, IllegalArgumentException why) {
    return new Response.InvalidRequest(
        what + ": " + PageText.line(redacted(String.valueOf(why.getMessage())), LONGEST_REASON),
        Outcome.Reach.REQUEST,
        Origin.of(name));
  }

  @Override
  public RawReply raw(RawCall call) throws IOException, InterruptedException {
    boolean stream = Json.parseOrAbsent(call.body()).flag("stream").orElse(false);
    HttpCall ready = wire.call(call.body(), stream);
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.putAll(call.headers());
    headers.keySet().removeIf(HttpModel::isNotPassedOn);
    headers.putAll(ready.headers());
    return transport.send(new HttpCall(ready.uri(), headers, call.body()));
  }

  private static boolean isNotPassedOn(String header) {
    String lower = header.toLowerCase(Locale.ROOT);
    return NOT_PASSED_ON.contains(lower) || CREDENTIALS.contains(lower);
  }

  @Override
  public Optional<Response.Failure> classify(
      int status, String statusText, Map<String, List<String>> headers, byte[] body) {
    if (isAnswer(status)) {
      return Optional.empty();
    }
    Map<String, List<String>> lower = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach((header, values) -> lower.put(header.toLowerCase(Locale.ROOT), values));
    Map<String, List<String>> clean = redacted(lower);
    String reason = redacted(statusText);
    String text = redacted(body);
    var origin =
        new Origin(
            name,
            OptionalInt.of(status),
            reason,
            requestId(clean),
            0,
            body.length,
            Optional.empty());
    return Optional.of(
        meaning(
            new ErrorReply(
                status,
                reason,
                clean,
                text,
                parsedOrAbsent(new String(body, StandardCharsets.UTF_8)),
                time.instant(),
                origin)));
  }

  static boolean isAnswer(int status) {
    return status >= 200 && status < 300;
  }

  /** What a response that is not an answer means; some come from others than the provider. */
  Response.Failure meaning(ErrorReply reply) {
    if (reply.status() >= 300 && reply.status() < 400) {
      return new Response.InvalidRequest(
          reply.message(
              Optional.of(
                  "%s sends us%s; redirects are not followed; is the base URL right?"
                      .formatted(endpoint, elsewhere(reply)))),
          Outcome.Reach.MODEL,
          reply.origin());
    }
    if (reply.status() == 407) {
      return new Response.Authentication(
          reply.message(
              Optional.of(
                  "the proxy wants a user and a password; set HTTPS_PROXY (or HTTP_PROXY) to"
                      + " http://user:password@host:port")),
          Outcome.Reach.ACCOUNT,
          reply.origin());
    }
    return Redaction.of(secret, wire.classify(reply));
  }

  /** Only the host: the rest may hold what nobody should see. */
  private static String elsewhere(ErrorReply reply) {
    String location = reply.headers().getOrDefault("location", List.of("")).getFirst();
    try {
      String host = URI.create(location.strip()).getHost();
      return host == null ? " elsewhere" : " to " + host;
    } catch (IllegalArgumentException malformed) {
      return " elsewhere";
    }
  }

  Optional<String> requestId(Map<String, List<String>> headers) {
    for (String header : REQUEST_ID_HEADERS) {
      List<String> values = headers.get(header);
      if (values != null && !values.isEmpty()) {
        return Optional.of(PageText.line(redacted(values.getFirst()), LONGEST_REQUEST_ID));
      }
    }
    return Optional.empty();
  }

  /**
   * Values that hold the credential lose it; most are as they were.
   *
   * @param headers by name in lower case
   */
  Map<String, List<String>> redacted(Map<String, List<String>> headers) {
    boolean heldIt = false;
    for (List<String> values : headers.values()) {
      for (String value : values) {
        heldIt |= !redacted(value).equals(value);
      }
    }
    if (!heldIt) {
      return headers;
    }
    Map<String, List<String>> redacted = new LinkedHashMap<>();
    headers.forEach(
        (header, values) -> redacted.put(header, values.stream().map(this::redacted).toList()));
    return redacted;
  }

  /** A JSON text without the credential, also where it was behind escapes. */
  Json parsed(String text) throws UnreadableException {
    String redacted = redacted(text);
    if (redacted.equals(text)) {
      return Json.parse(text);
    }
    Json whole = Json.parseOrAbsent(text);
    // What is said of a text that is not JSON may quote it.
    return whole.isPresent() ? whole.redacted(secret) : Json.parse(redacted);
  }

  Json parsedOrAbsent(String text) {
    try {
      return parsed(text);
    } catch (UnreadableException notJson) {
      return Json.ABSENT;
    }
  }

  /** The response without the credential. */
  Response redacted(Response response) {
    return Redaction.of(secret, response);
  }

  String redacted(byte[] text) {
    return redacted(new String(text, StandardCharsets.UTF_8));
  }

  /** Looks for the credential and no more: a text without it is not copied. */
  String redacted(String text) {
    return secret.redact(text);
  }
}

package dev.weir.web;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 server whose requests are tasks.
 *
 * <pre>
 *   head ──> body, bounded ──> task: handler ──> answer ──────────────> the connection is kept
 *     │          │               │                                      for the next request
 *     │          │               └─ the client goes: the task is cancelled
 *     └──────────┴─ too large, too many, wrong host: an answer without a task
 * </pre>
 *
 * <p>A vanished client is noticed while the handler works, not only when it writes. A client that
 * closes just its own direction counts as vanished too. Thread-safe.
 */
public final class WebServer implements AutoCloseable {

  /** How long the end of the tasks and of the connections is waited for. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);

  private static final int EVENT_LOOPS = 2;

  /** What is larger than a body may be is read and dropped up to here, so that 413 arrives. */
  private static final int DROPPED_PER_KEPT = 4;

  private final Time time;
  private final WebSettings settings;
  private final Handler handler;
  private final Vertx vertx;
  private final HttpServer server;
  private final Set<Exchange> exchanges = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();

  private WebServer(Time time, WebSettings settings, Handler handler) {
    this.time = time;
    this.settings = settings;
    this.handler = handler;
    this.vertx =
        Vertx.vertx(
            new VertxOptions()
                .setEventLoopPoolSize(EVENT_LOOPS)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setUseDaemonThread(true)
                .setFileSystemOptions(
                    new FileSystemOptions()
                        .setFileCachingEnabled(false)
                        .setClassPathResolvingEnabled(false)));
    this.server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHttp2ClearTextEnabled(false)
                    .setHandle100ContinueAutomatically(true)
                    .setMaxHeaderSize(settings.maxHeaderBytes())
                    .setIdleTimeoutUnit(TimeUnit.SECONDS)
                    .setIdleTimeout((int) settings.idle().toSeconds()))
            .connectionHandler(this::connected)
            .requestHandler(this::receive)
            .invalidRequestHandler(WebServer::refuseMalformed)
            // A connection that breaks is the client's business.
            .exceptionHandler(_ -> {});
  }

  /**
   * Starts to listen.
   *
   * @param time the system's: sockets know no other
   * @throws IOException if it is not possible to listen there, for example because the port is
   *     taken
   */
  public static WebServer start(Time time, WebSettings settings, Handler handler)
      throws IOException, InterruptedException {
    var web = new WebServer(time, settings, handler);
    boolean listening = false;
    try {
      await(time, web.server.listen(settings.port(), settings.host()));
      listening = true;
      return web;
    } finally {
      if (!listening) {
        web.close();
      }
    }
  }

  /** The port it listens on. */
  public int port() {
    return server.actualPort();
  }

  /** Where clients find it: {@code http://127.0.0.1:8080}. */
  public URI address() {
    String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
    return URI.create("http://%s:%d".formatted(host, port()));
  }

  /** Requests that have arrived completely and are not answered yet. */
  public int inFlight() {
    return exchanges.size();
  }

  /** Stops to listen, cancels what is in flight, and closes all connections. */
  @Override
  public void close() {
    long deadline = time.after(LAST_WORDS);
    try {
      List<Exchange> open = List.copyOf(exchanges);
      open.forEach(Exchange::cancel);
      for (Exchange exchange : open) {
        exchange.awaitEnd(deadline);
      }
      completion(time, vertx.close()).await(deadline);
    } catch (InterruptedException interrupted) {
      // What is left ends with the process: its threads are daemons.
      Thread.currentThread().interrupt();
    }
  }

  private void connected(HttpConnection connection) {
    int open = connections.incrementAndGet();
    connection.closeHandler(_ -> connections.decrementAndGet());
    if (open > settings.maxConnections()) {
      connection.close();
    }
  }

  private void receive(HttpServerRequest request) {
    var body = new BoundedBody(settings.maxBodyBytes());
    // Lost on the way: there is nobody to answer.
    request.exceptionHandler(_ -> {});
    request.handler(
        part -> {
          body.add(part);
          if (body.size() > (long) DROPPED_PER_KEPT * settings.maxBodyBytes()) {
            request.handler(null).endHandler(null);
            Exchange.send(request.response(), tooLarge().with("connection", "close"))
                .onComplete(_ -> request.connection().close());
          }
        });
    request.endHandler(_ -> arrived(request, body));
  }

  private void arrived(HttpServerRequest request, BoundedBody body) {
    String path = request.path();
    if (path == null || path.isEmpty()) {
      Exchange.send(request.response(), malformed());
      return;
    }
    Answer refusal = refusal(request, body);
    if (refusal != null) {
      Exchange.send(request.response(), refusal);
      return;
    }
    var exchange = new Exchange(time, request.response(), handler, exchanges::remove);
    exchanges.add(exchange);
    String query = request.query() == null ? "" : request.query();
    exchange.start(
        new Request(request.method().name(), path, query, headers(request), body.bytes()));
  }

  /** Why a request gets no task; null if it does. */
  private @Nullable Answer refusal(HttpServerRequest request, BoundedBody body) {
    if (settings.isLoopback()
        && request.authority() != null
        && !WebSettings.isLoopback(request.authority().host())) {
      // A page from elsewhere whose name was made to point here must not read from this machine.
      return Answer.error(
          421,
          "misdirected_request_error",
          "This server answers to localhost only; start it with another host to change that.");
    }
    if (body.size() > settings.maxBodyBytes()) {
      return tooLarge();
    }
    if (exchanges.size() >= settings.maxInFlight()) {
      return Answer.error(
              503,
              "too_many_requests_in_flight_error",
              "%d requests are being answered, which is all this server takes."
                  .formatted(settings.maxInFlight()))
          .with("retry-after", "1");
    }
    return null;
  }

  private Answer tooLarge() {
    return Answer.error(
        413,
        "request_too_large",
        "The request body must be at most %d bytes.".formatted(settings.maxBodyBytes()));
  }

  private static Answer malformed() {
    return Answer.error(400, "invalid_request_error", "This is not a proper HTTP request.");
  }

  private static void refuseMalformed(HttpServerRequest request) {
    Answer answer =
        switch (request.decoderResult().cause()) {
          case TooLongHttpLineException _ ->
              Answer.error(414, "uri_too_long_error", "The first line of the request is too long.");
          case TooLongHttpHeaderException _ ->
              Answer.error(431, "headers_too_large_error", "The request's headers are too large.");
          case null, default -> malformed();
        };
    Exchange.send(request.response(), answer.with("connection", "close"))
        .onComplete(_ -> request.connection().close());
  }

  private static Map<String, String> headers(HttpServerRequest request) {
    Map<String, String> headers = new HashMap<>();
    request
        .headers()
        .forEach((name, value) -> headers.putIfAbsent(name.toLowerCase(Locale.ROOT), value));
    return headers;
  }

  private static Completion<Boolean> completion(Time time, Future<?> future) {
    var completion = new Completion<Boolean>(time, "the network");
    future.onComplete(
        result -> {
          if (result.succeeded()) {
            completion.complete(true);
          } else {
            completion.fail(result.cause());
          }
        });
    return completion;
  }

  /** Waits for what the event loop does. */
  static void await(Time time, Future<?> future) throws IOException, InterruptedException {
    Completion<Boolean> completion = completion(time, future);
    while (!completion.await(Time.NEVER)) {
      // The end of time is not a reason to stop waiting.
    }
    switch (completion.failure().orElse(null)) {
      case null -> {}
      case IOException failure -> throw failure;
      case Throwable failure -> throw new IOException(failure.getMessage(), failure);
    }
  }
}

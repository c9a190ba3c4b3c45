package dev.weir.web;

import dev.weir.time.Task;
import dev.weir.time.Time;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer.
 *
 * <p>The handler runs as a task; all that touches the connection is done by its event loop, and the
 * task waits for it.
 */
final class Exchange {

  /** A status of Cloudflare's, which the HTTP library has no text for. */
  private static final int CLOUDFLARE_TIMEOUT = 524;

  private static final System.Logger LOG = System.getLogger("dev.weir.web");

  /** What every answer carries unless it says otherwise: browsers are to trust it with nothing. */
  private static final Map<String, String> SECURITY_HEADERS =
      Map.of(
          "cache-control", "no-store",
          "content-security-policy", "default-src 'none'; frame-ancestors 'none'",
          "cross-origin-resource-policy", "same-origin",
          "referrer-policy", "no-referrer",
          "x-content-type-options", "nosniff",
          "x-frame-options", "DENY");

  private final Time time;
  private final HttpServerResponse response;
  private final Handler handler;
  private final Consumer<Exchange> ended;
  private final Context loop;

  // Written once, by start. Whoever finds none yet, when the server is closed, closes the
  // connection
  // next, and that cancels it.
  private volatile @Nullable Task<?> task;

  /** Made on the event loop of the connection. */
  Exchange(Time time, HttpServerResponse response, Handler handler, Consumer<Exchange> ended) {
    this.time = time;
    this.response = response;
    this.handler = handler;
    this.ended = ended;
    this.loop = Objects.requireNonNull(Vertx.currentContext(), "called off the event loop");
  }

  void start(Request request) {
    task = time.start("web: " + request, () -> serve(request));
    // Here, on the event loop, and not before: it cannot come between the two.
    response.closeHandler(_ -> cancel());
    response.exceptionHandler(_ -> cancel());
    if (response.closed()) {
      cancel();
    }
  }

  void cancel() {
    Task<?> running = task;
    if (running != null) {
      running.cancel();
    }
  }

  void awaitEnd(long deadline) throws InterruptedException {
    Task<?> running = task;
    if (running != null) {
      running.join(deadline);
    }
  }

  private void serve(Request request) throws InterruptedException {
    boolean answered = false;
    try {
      answer(request);
      answered = true;
    } catch (IOException gone) {
      // The client does not want the answer any more.
    } finally {
      if (!answered) {
        onLoop(this::reset);
      }
      ended.accept(this);
    }
  }

  private void answer(Request request) throws IOException, InterruptedException {
    switch (handle(request)) {
      case Answer.Whole whole -> await(() -> send(response, whole));
      case Answer.Pieces pieces -> stream(request, pieces);
    }
  }

  private Answer handle(Request request) throws InterruptedException {
    try {
      return handler.handle(request);
    } catch (WebException told) {
      return told.answer();
    } catch (InterruptedException cancelled) {
      throw cancelled;
    } catch (Exception defect) {
      LOG.log(System.Logger.Level.ERROR, () -> "cannot answer " + request, defect);
      return Answer.error(500, "internal_error", "Something went wrong inside the server.");
    }
  }

  /**
   * Runs the source, whatever has become of the client: the source may hold something that it gives
   * back at its end. The head goes with the first piece.
   */
  private void stream(Request request, Answer.Pieces pieces)
      throws IOException, InterruptedException {
    try {
      pieces.source().run(piece -> await(() -> begun(pieces).write(Buffer.buffer(piece))));
    } catch (IOException | InterruptedException ending) {
      throw ending;
    } catch (Exception defect) {
      // The status may have been sent: all that is left to tell it is an early end.
      LOG.log(System.Logger.Level.ERROR, () -> "cannot finish the stream of " + request, defect);
      onLoop(this::reset);
      return;
    }
    await(() -> begun(pieces).end());
  }

  private HttpServerResponse begun(Answer.Pieces pieces) {
    if (!response.headWritten()) {
      head(response, pieces);
      response.setChunked(true);
    }
    return response;
  }

  /** Does something on the event loop and waits until the connection has taken it. */
  private void await(Supplier<Future<?>> action) throws IOException, InterruptedException {
    WebServer.await(
        time,
        Future.future(
            promise ->
                onLoop(
                    () -> {
                      if (response.closed()) {
                        promise.fail(new IOException("the client has gone"));
                      } else {
                        action.get().onComplete(result -> promise.handle(result.mapEmpty()));
                      }
                    })));
  }

  private void onLoop(Runnable action) {
    loop.runOnContext(_ -> action.run());
  }

  /** Ends the connection, so that half an answer is not taken for a whole one. */
  private void reset() {
    if (!response.ended() && !response.closed()) {
      response.reset();
    }
  }

  static Future<?> send(HttpServerResponse response, Answer.Whole answer) {
    head(response, answer);
    return response.end(Buffer.buffer(answer.body()));
  }

  static Future<?> send(HttpServerResponse response, Answer answer) {
    return switch (answer) {
      case Answer.Whole whole -> send(response, whole);
      case Answer.Pieces _ -> throw new IllegalArgumentException("a stream needs a task");
    };
  }

  private static void head(HttpServerResponse response, Answer answer) {
    response.setStatusCode(answer.status());
    if (answer.status() == CLOUDFLARE_TIMEOUT) {
      response.setStatusMessage("A Timeout Occurred");
    }
    SECURITY_HEADERS.forEach(response::putHeader);
    answer.headers().forEach(response::putHeader);
  }
}

package dev.weir.simulator.provider;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Keeps a fixed number of requests in flight, and keeps the place of one that is not answered for a
 * second before it sends it again. With the number of slots of a provider, a perfect semaphore.
 */
final class WindowClient implements Client {

  private static final long RETRY_NANOS = 1_000_000_000L;

  private final int window;

  WindowClient(int window) {
    this.window = window;
  }

  @Override
  public void start(Session session) {
    Queue<Request> waiting = new ArrayDeque<>(session.requests());
    for (int i = 0; i < window; i++) {
      next(session, waiting);
    }
  }

  private static void next(Session session, Queue<Request> waiting) {
    Request request = waiting.poll();
    if (request == null) {
      return;
    }
    if (request.notBeforeNanos() > session.loop().now()) {
      session.loop().at(request.notBeforeNanos(), () -> attempt(session, waiting, request));
    } else {
      attempt(session, waiting, request);
    }
  }

  private static void attempt(Session session, Queue<Request> waiting, Request request) {
    session.send(
        request,
        response -> {
          if (response instanceof Response.Answer) {
            session.done(request);
            next(session, waiting);
          } else {
            session.loop().after(RETRY_NANOS, () -> attempt(session, waiting, request));
          }
        });
  }
}

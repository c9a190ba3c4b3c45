package dev.weir.simulator.provider;

import java.util.List;

/**
 * Sends each request, in order, at the first instant at which the provider would admit it.
 *
 * <p>Needs a network without delay: what it knows must still hold when the request arrives.
 */
final class GreedyClient implements Client {

  @Override
  public void start(Session session) {
    new Run(session).proceed();
  }

  private static final class Run {

    /** Rounding must not make it ask again and again about the same instant. */
    private static final long SHORTEST_WAIT_NANOS = 1_000;

    private final Session session;
    private final EventLoop loop;
    private final List<Request> requests;
    private int next;
    private boolean arriving;
    private long wakeAt = Long.MAX_VALUE;

    Run(Session session) {
      this.session = session;
      this.loop = session.loop();
      this.requests = session.requests();
    }

    /** Sends the next request or finds out when to try again. */
    private void proceed() {
      if (arriving || next == requests.size()) {
        return;
      }
      Request request = requests.get(next);
      long wait =
          Math.max(
              request.notBeforeNanos() - loop.now(),
              session.model().nanosUntilAdmitted(loop.now(), request));
      if (wait > 0) {
        wakeAt(loop.now() + Math.max(wait, SHORTEST_WAIT_NANOS));
        return;
      }
      next++;
      arriving = true;
      session.send(request, response -> received(request, response));
      loop.after(0, this::arrived);
    }

    private void arrived() {
      arriving = false;
      proceed();
    }

    /** What has finished may have made room. */
    private void received(Request request, Response response) {
      if (!(response instanceof Response.Answer)) {
        throw new IllegalStateException(
            "cannot be the optimum: request %d got %s".formatted(request.id(), response));
      }
      session.done(request);
      proceed();
    }

    private void wakeAt(long nanos) {
      if (nanos < wakeAt) {
        wakeAt = nanos;
        loop.at(nanos, this::wake);
      }
    }

    private void wake() {
      if (loop.now() >= wakeAt) {
        wakeAt = Long.MAX_VALUE;
      }
      proceed();
    }
  }
}

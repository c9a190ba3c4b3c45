package dev.weir.simulator.provider;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Sends at one pace, whatever happens; what is refused is sent again first.
 *
 * <p>The optimum for a bucket that holds a single request: behind a network with jitter no client
 * can use all of its refill, and none can know which request will arrive too early.
 */
final class FixedPace implements Client {

  private static final double SLOWEST = 0.5;
  private static final double STEP = 1.025;

  private final long gapNanos;

  private FixedPace(double perSecond) {
    this.gapNanos = Math.round(1e9 / perSecond);
  }

  static boolean isOptimal(ProviderSettings settings) {
    return settings.calendar().isEmpty()
        && settings.requests().filter(quota -> quota.burst() < 2).isPresent();
  }

  /** The fastest of the paces around the refill. */
  static Oracle.Optimum best(ProviderSettings settings, List<Request> requests, long seed) {
    double perSecond =
        settings.requests().orElseThrow().perSecond()
            - settings.otherTraffic().perSecond(RefusalKind.REQUESTS);
    Oracle.Optimum best = null;
    for (double pace = SLOWEST * perSecond; pace <= 1.05 * perSecond; pace *= STEP) {
      var drive = new Drive(settings, requests, seed);
      drive.run(new FixedPace(pace), 1);
      if (drive.unfinished() == 0
          && (best == null || drive.makespan().compareTo(best.makespan()) < 0)) {
        best = new Oracle.Optimum(drive.makespan(), drive.model().accepted());
      }
    }
    if (best == null) {
      throw new IllegalStateException("cannot compute the optimum: no pace finishes");
    }
    return best;
  }

  @Override
  public void start(Session session) {
    tick(session, new ArrayDeque<>(session.requests()), new int[] {session.requests().size()});
  }

  private void tick(Session session, Deque<Request> queue, int[] unfinished) {
    Request request = queue.poll();
    if (request != null) {
      session.send(
          request,
          response -> {
            if (response instanceof Response.Answer) {
              unfinished[0]--;
              session.done(request);
            } else {
              queue.addFirst(request);
            }
          });
    }
    if (unfinished[0] > 0) {
      session.loop().after(gapNanos, () -> tick(session, queue, unfinished));
    }
  }
}

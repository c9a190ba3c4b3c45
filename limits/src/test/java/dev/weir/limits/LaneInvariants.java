package dev.weir.limits;

import dev.weir.limits.control.WindowChange.Reason;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.limits.header.Dimension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What holds for every lane of a regulator in every mode, whatever happens. A schedule tells what
 * it does; notices tell what the limiter does.
 *
 * <ul>
 *   <li>When a permit is granted, no more are out than the window, the account's bound and
 *       max-concurrency allow.
 *   <li>reserved = settled + returned + outstanding, and outstanding is what attempts under way
 *       have reserved.
 *   <li>Mode aimd cuts at most once per cooldown; a refusal only cuts, a clean answer only raises.
 *   <li>Nothing of a scope is attempted after it was stopped.
 *   <li>Who came first with the same standing in the same flow goes first.
 *   <li>In the end nothing is left: no permit, no waiter, no reservation.
 * </ul>
 */
final class LaneInvariants {

  private static final Duration COOLDOWN = Duration.ofSeconds(15);

  /** Longer than all that the schedules ask to wait for. */
  private static final Duration LONGEST_WAIT = Duration.ofHours(3);

  /** A request that waits in a queue. */
  record Queued(Lane lane, Demand demand, long since) {}

  private final int maxConcurrency;
  private final boolean timeouts;
  private boolean mayKeepPlaces;
  private final Map<Lane, Integer> attempts = new LinkedHashMap<>();
  private final Map<Lane, Double> reserved = new HashMap<>();
  private final Map<Lane, Integer> widest = new HashMap<>();
  private final Map<Lane, Long> widestAt = new HashMap<>();
  private final Map<String, Long> lastCut = new HashMap<>();
  private final Set<String> stopped = new HashSet<>();
  private final List<Queued> queued = new ArrayList<>();
  private int allAttempts;
  private long checks;

  /**
   * @param timeouts whether attempts may be interrupted: then one may still be unwinding when
   *     another has taken its place
   */
  LaneInvariants(int maxConcurrency, boolean timeouts) {
    this.maxConcurrency = maxConcurrency;
    this.timeouts = timeouts;
  }

  /** How often something was checked: a schedule that checks nothing proves nothing. */
  long checks() {
    return checks;
  }

  /** To be called when a lane is in mode aimd at some time. */
  void expectKeptPlaces() {
    mayKeepPlaces = true;
  }

  /** To be called before and after anything that may move the window of a lane. */
  void look(Lane lane, long now) {
    int window = lane.status().window();
    boolean sameInstant = widestAt.getOrDefault(lane, -1L) == now;
    widest.put(lane, sameInstant ? Math.max(widest.getOrDefault(lane, 0), window) : window);
    widestAt.put(lane, now);
    checkLedger(lane);
  }

  Queued queued(Lane lane, Demand demand, long now) {
    var request = new Queued(lane, demand, now);
    queued.add(request);
    return request;
  }

  void left(Queued request) {
    queued.remove(request);
  }

  void attemptBegins(Queued request, long now) {
    Lane lane = request.lane;
    look(lane, now);
    queued.remove(request);
    check(
        request.since == Long.MIN_VALUE || now - request.since <= LONGEST_WAIT.toNanos(),
        () -> "%s starved".formatted(request));
    attempts.merge(lane, 1, Integer::sum);
    allAttempts++;
    reserved.merge(lane, request.demand.estimate().of(Dimension.TOKENS), Double::sum);
    // In aimd, a place that was kept during backoff stays when the window is cut meanwhile.
    check(
        (mayKeepPlaces && request.demand.attempt() > 1)
            || lane.status().inFlight() <= widest.getOrDefault(lane, 0),
        () ->
            "in flight %s with a window of %s"
                .formatted(lane.status().inFlight(), widest.getOrDefault(lane, 0)));
    check(
        timeouts || allAttempts <= maxConcurrency,
        () -> "%s in flight over all lanes".formatted(allAttempts));
    for (String scope : stopped) {
      check(
          !lane.name().equals(scope) && !lane.name().startsWith(scope + "/"),
          () -> "%s was attempted although %s is stopped".formatted(lane.name(), scope));
    }
    for (Queued other : queued) {
      boolean comparable =
          other.lane.equals(lane)
              && other.demand.standing() == request.demand.standing()
              && other.demand.flow().equals(request.demand.flow());
      check(
          !comparable || other.since >= request.since,
          () -> "%s was overtaken by %s".formatted(other, request));
    }
    checkLedger(lane);
  }

  void attemptEnds(Lane lane, Demand demand, long now) {
    attempts.merge(lane, -1, Integer::sum);
    allAttempts--;
    reserved.merge(lane, -demand.estimate().of(Dimension.TOKENS), Double::sum);
    look(lane, now);
  }

  void resumed(String scope) {
    stopped.remove(scope);
  }

  void notice(Notice notice) {
    switch (notice.event()) {
      case LimitEvent.Stopped _ -> stopped.add(notice.scope());
      case LimitEvent.WindowChanged moved -> {
        check(moved.before() != moved.after(), moved::toString);
        boolean up = moved.after() > moved.before();
        boolean asItShould =
            switch (moved.reason()) {
              case RATE_LIMIT, HEADER -> !up;
              case SLOW_START, STEADY_STATE_UP, RECOVERED, PROBE -> up;
              case MANUAL, CAP, LATENCY -> true;
            };
        check(asItShould, moved::toString);
        if (moved.reason() == Reason.MANUAL) {
          lastCut.remove(notice.scope());
        }
      }
      default -> {}
    }
  }

  /** Only for lanes that are in mode aimd with the default cooldown. */
  void aimdNotice(Notice notice) {
    if (notice.event() instanceof LimitEvent.WindowChanged(_, _, Reason reason)
        && reason == Reason.RATE_LIMIT) {
      Long before = lastCut.put(notice.scope(), notice.nanos());
      check(
          before == null || notice.nanos() - before >= COOLDOWN.toNanos(),
          () -> "a second cut of %s in one episode".formatted(notice.scope()));
    }
  }

  void atTheEnd(Lane lane) {
    Lane.Status status = lane.status();
    check(status.inFlight() == 0, () -> "%s permits are left".formatted(status.inFlight()));
    check(status.waiting() == 0, () -> "%s waiters are left".formatted(status.waiting()));
    check(
        status.backingOff() == 0,
        () -> "%s requests back off for ever".formatted(status.backingOff()));
    check(
        Math.abs(lane.ledger().outstanding()) < 1e-6, () -> "%s is left".formatted(lane.ledger()));
    check(queued.isEmpty(), () -> "%s starved".formatted(queued));
  }

  private void checkLedger(Lane lane) {
    Ledger ledger = lane.ledger();
    double sum = ledger.settled() + ledger.returned() + ledger.outstanding();
    check(Math.abs(ledger.reserved() - sum) < 1e-6, () -> "%s does not balance".formatted(ledger));
    // A permit that was granted may not have been picked up yet.
    check(
        timeouts || ledger.outstanding() >= reserved.getOrDefault(lane, 0.0) - 1e-6,
        () ->
            "%s, but attempts have reserved %s"
                .formatted(ledger, reserved.getOrDefault(lane, 0.0)));
  }

  private void check(boolean holds, Supplier<String> otherwise) {
    checks++;
    if (!holds) {
      throw new AssertionError("broken: " + otherwise.get());
    }
  }
}

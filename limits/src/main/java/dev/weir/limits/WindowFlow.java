package dev.weir.limits;

import dev.weir.limits.control.Aimd;
import dev.weir.limits.control.Halving;
import dev.weir.limits.control.StaticWindow;
import dev.weir.limits.control.WindowChange;
import dev.weir.limits.control.WindowControl;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.limits.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A window that a controller moves, and a backoff. */
final class WindowFlow implements FlowControl {

  private final WindowControl control;
  private final RetryPolicy policy;
  private final boolean refusedKeepPlace;
  private final AdvertisedQuotas advertised = new AdvertisedQuotas();
  private int inFlight;
  private long sent;
  // The last attempt that was sent before headers cut the window.
  private long sentBeforeCut;
  private long movesTold;

  /**
   * @param refusedKeepPlace whether a refused request stays in the window while it waits: so does
   *     AIMD's original, and simulation shows that it damps
   */
  WindowFlow(WindowControl control, RetryPolicy policy, boolean refusedKeepPlace) {
    this.control = control;
    this.policy = policy;
    this.refusedKeepPlace = refusedKeepPlace;
  }

  private static final class Place implements Ticket {
    private final int attempt;
    private final long number;
    private final long sentAt;
    private boolean settled;
    private boolean kept;

    Place(int attempt, long number, long sentAt) {
      this.attempt = attempt;
      this.number = number;
      this.sentAt = sentAt;
    }
  }

  @Override
  public long waitNanos(long now, Cost cost) {
    return inFlight < control.window() ? 0 : UNTIL_ANSWERED;
  }

  @Override
  public long outlookNanos(long now, Cost cost) {
    return waitNanos(now, cost);
  }

  @Override
  public Ticket send(long now, Cost cost, int attempt) {
    inFlight++;
    control.acquired(now, inFlight);
    return new Place(attempt, ++sent, now);
  }

  @Override
  public void observe(long now, Ticket ticket, ResponseFacts facts) {
    var place = (Place) ticket;
    advertised.read(facts, Duration.ofNanos(Math.max(0, now - place.sentAt)));
    if (isOldNews(place)) {
      return;
    }
    int before = control.window();
    double least = Double.POSITIVE_INFINITY;
    for (QuotaSnapshot quota : facts.quotas()) {
      if (quota.limit().orElse(0) > 0 && quota.remaining().isPresent()) {
        least = Math.min(least, quota.remaining().getAsDouble() / quota.limit().getAsDouble());
      }
    }
    if (least < Double.POSITIVE_INFINITY) {
      control.quotaSeen(now, least);
    }
    if (control.window() < before) {
      sentBeforeCut = sent;
    }
  }

  /**
   * Whether headers have cut the window since the attempt was sent. What its response says is the
   * same shortage, seen once more: neither does it cut again, nor has the quota recovered.
   */
  private boolean isOldNews(Place place) {
    return place.number <= sentBeforeCut;
  }

  @Override
  public Decision settle(long now, Ticket ticket, Outcome outcome, Cost used, RetryBounds bounds) {
    var place = (Place) ticket;
    if (place.settled) {
      return new Decision.Done();
    }
    place.settled = true;
    inFlight--;
    if (outcome instanceof Outcome.RateLimited(var facts)) {
      observe(now, ticket, facts);
    }
    switch (outcome) {
      case Outcome.Clean() -> control.succeeded(now, place.attempt > 1);
      case Outcome.RateLimited _ when isOldNews(place) -> control.transientFailure(now);
      case Outcome.RateLimited(var facts) ->
          control.rateLimited(now, facts.serverWait(), longestReset(facts));
      case Outcome.Overloaded _, Outcome.Transient _ -> control.transientFailure(now);
      case Outcome.Terminal _, Outcome.Nothing _ -> {}
    }
    Decision decision = policy.decide(outcome, place.attempt, bounds);
    if (refusedKeepPlace
        && outcome instanceof Outcome.RateLimited
        && decision instanceof Decision.Again) {
      place.kept = true;
      inFlight++;
    }
    return decision;
  }

  @Override
  public boolean keepsPlace(Ticket ticket) {
    return ((Place) ticket).kept;
  }

  @Override
  public Ticket sendAgain(long now, Ticket kept, Cost cost) {
    var place = (Place) kept;
    if (!place.kept) {
      throw new IllegalStateException("cannot send again: the place was not kept");
    }
    place.kept = false;
    return new Place(place.attempt + 1, ++sent, now);
  }

  @Override
  public void abandon(Ticket kept) {
    var place = (Place) kept;
    if (place.kept) {
      place.kept = false;
      inFlight--;
    }
  }

  @Override
  public boolean isTimed() {
    return !(control instanceof StaticWindow);
  }

  @Override
  public int window() {
    return control.window();
  }

  @Override
  public int inFlight() {
    return inFlight;
  }

  @Override
  public Constraint binding(long now, Cost cost) {
    return inFlight < control.window() ? Constraint.NOTHING : Constraint.WINDOW;
  }

  @Override
  public boolean retune(long now, Mode mode) {
    switch (mode) {
      case Mode.Static(int window) when control instanceof StaticWindow ->
          control.retune(now, window);
      case Mode.Aimd(var settings) when control instanceof Aimd aimd -> aimd.retune(now, settings);
      case Mode.Halving(int max, int min) when control instanceof Halving halving ->
          halving.retune(now, max, min);
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public List<LimitEvent> drainEvents() {
    List<LimitEvent> events = advertised.drainEvents();
    long moves = control.moves();
    if (moves == movesTold) {
      return events;
    }
    List<WindowChange> history = control.history();
    int untold = (int) Math.min(moves - movesTold, history.size());
    movesTold = moves;
    return Stream.concat(
            events.stream(),
            history.subList(history.size() - untold, history.size()).stream()
                .map(
                    change ->
                        new LimitEvent.WindowChanged(change.from(), change.to(), change.reason())))
        .toList();
  }

  @Override
  public List<WindowChange> history() {
    return control.history();
  }

  private static Optional<Duration> longestReset(ResponseFacts facts) {
    return facts.quotas().stream()
        .map(QuotaSnapshot::reset)
        .flatMap(Optional::stream)
        .map(Reset::remaining)
        .max(Duration::compareTo);
  }
}

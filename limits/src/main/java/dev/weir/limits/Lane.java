package dev.weir.limits;

import dev.weir.limits.Waiter.Place;
import dev.weir.limits.control.WindowChange;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The way to one model: {@link #call} for programs that leave queue, permit, attempt and retry to
 * it; {@link #acquire}, {@link #tryAcquire} and {@link #reserve} for those with a loop of their
 * own.
 *
 * <p>A permit is granted when every scope on the path of the request lets it go: all calls, the
 * account, the family, the model.
 *
 * <p>Of those who wait, only one has a time to look again; it dispatches, and hands the watch on.
 * So there is one timer per lane, not one per request.
 *
 * <p>Thread-safe: everything is guarded by the lock of the regulator, and signals are sent after it
 * is left.
 */
public final class Lane {

  private final Regulator regulator;
  final Time time;
  private final String name;
  private final String waitingForPermit;
  private final List<Scope> path;
  private final Scope model;
  private final Optional<Scope> family;

  // Guarded by the regulator.
  private Mode mode;
  private RetryBounds bounds;
  private Scope regulated;
  private FlowControl flow;
  private final FairQueue queue = new FairQueue();
  private final Backoffs backoffs = new Backoffs();
  private final Ledger.Book book = new Ledger.Book();
  private @Nullable Waiter watcher;
  private long retries;

  /** Called under the lock of the regulator. */
  Lane(Regulator regulator, LimitKey key, Mode mode, RetryBounds bounds) {
    this.regulator = regulator;
    this.time = regulator.time;
    this.name = key.modelScope();
    this.waitingForPermit = "a permit of " + name;
    this.mode = mode;
    this.bounds = bounds;
    this.model = regulator.scope(name);
    this.family = key.familyScope().map(regulator::scope);
    List<Scope> scopes = new ArrayList<>();
    scopes.add(regulator.all);
    scopes.add(regulator.scope(key.accountScope()));
    family.ifPresent(scopes::add);
    scopes.add(model);
    this.path = List.copyOf(scopes);
    this.regulated = model;
    this.flow = regulate();
  }

  /**
   * Makes attempts until one of them is answered or fails for good.
   *
   * <p>It is the only place that retries. While a request waits for another attempt it holds
   * nothing (in mode {@code aimd}, a refused one keeps its place in the window).
   *
   * @throws DeadlinePassedException if the deadline of the demand, or the timeout of the lane, ends
   *     the request without an answer
   * @throws StoppedException if the provider refuses others for good while this one waits
   */
  public <T> Call<T> call(Demand demand, Attempt<T> attempt) throws InterruptedException {
    return new CallLoop<>(this, bounds(), demand, attempt).run();
  }

  /**
   * Waits for a permit.
   *
   * @throws DeadlinePassedException if the demand's deadline comes first
   * @throws StoppedException if the provider has refused for good
   */
  public Permit acquire(Demand demand) throws InterruptedException {
    return acquire(demand, true, null);
  }

  /**
   * A permit, if one can be had at once without overtaking anybody.
   *
   * @throws StoppedException if the provider has refused for good
   */
  public Optional<Permit> tryAcquire(Demand demand) {
    Permit permit;
    synchronized (regulator) {
      permit = grantAtOnce(time.nanos(), demand, true, null);
    }
    regulator.wake(List.of());
    return Optional.ofNullable(permit);
  }

  /**
   * A place in the queue, without waiting.
   *
   * @throws StoppedException if the provider has refused for good
   */
  public Reservation reserve(Demand demand) {
    Waiter waiter;
    synchronized (regulator) {
      long now = time.nanos();
      Permit permit = grantAtOnce(now, demand, true, null);
      waiter = waiter(now, demand, true, null);
      waiter.permit = permit;
      if (permit == null) {
        enqueue(waiter);
      }
    }
    regulator.wake(List.of());
    return new Reservation(this, waiter);
  }

  /**
   * Changes bounds or mode while calls are in flight. Lowering never pre-empts: what is in flight
   * goes on, and counts. Requests that wait for another attempt try at once.
   */
  public void retune(Mode newMode) {
    List<Signal> woken = new ArrayList<>();
    synchronized (regulator) {
      long now = time.nanos();
      mode = newMode;
      if (!flow.retune(now, newMode)) {
        int before = flow.window();
        flow = regulate();
        if (flow.window() != before) {
          regulator.note(
              now,
              regulated,
              new LimitEvent.WindowChanged(before, flow.window(), WindowChange.Reason.MANUAL));
        }
      }
      regulator.noteAll(now, regulated, flow);
      backoffs.wakeAll(woken);
      woken.addAll(regulator.dispatch(now));
    }
    regulator.wake(woken);
  }

  /** Changes how long requests are tried for; those that have begun keep what they began with. */
  public void retune(RetryBounds newBounds) {
    synchronized (regulator) {
      bounds = newBounds;
    }
  }

  public Mode mode() {
    synchronized (regulator) {
      return mode;
    }
  }

  public Status status() {
    synchronized (regulator) {
      // Of a flow that is shared with others, only its own calls.
      int inFlight = regulated.equals(model) ? flow.inFlight() : model.inFlight();
      return new Status(inFlight, flow.window(), queue.size(), backoffs.size(), retries);
    }
  }

  /** What was reserved, in tokens, and what became of it. */
  public Ledger ledger() {
    synchronized (regulator) {
      return book.ledger();
    }
  }

  /** What the next request in line waits for, and until when. */
  public Waiting waitingFor() {
    synchronized (regulator) {
      long now = time.nanos();
      Waiter head = queue.peek(now);
      if (head != null) {
        return binding(now, head);
      }
      return backoffs.size() == 0
          ? Waiting.FOR_NOTHING
          : new Waiting(Constraint.BACKOFF, name, OptionalLong.of(backoffs.nextEnd()));
    }
  }

  /**
   * What a lane is doing at this moment.
   *
   * @param inFlight attempts being made
   * @param window how many may be
   * @param waiting requests that wait for a permit
   * @param backingOff requests that wait for the time of their next attempt
   * @param retries attempts beyond the first of a request, so far
   */
  public record Status(int inFlight, int window, int waiting, int backingOff, long retries) {}

  // For the call loop, permits and reservations: these take the lock themselves.

  String name() {
    return name;
  }

  private RetryBounds bounds() {
    synchronized (regulator) {
      return bounds;
    }
  }

  /**
   * @param leased whether the permit must come back by itself if its owner dies
   * @param kept the place in the window that the request has kept, if it has
   */
  Permit acquire(Demand demand, boolean leased, @Nullable Place kept) throws InterruptedException {
    Waiter waiter = null;
    Permit permit;
    synchronized (regulator) {
      long now = time.nanos();
      permit = grantAtOnce(now, demand, leased, kept);
      if (permit == null) {
        waiter = waiter(now, demand, leased, kept);
        enqueue(waiter);
      }
    }
    if (waiter != null) {
      return await(waiter);
    }
    regulator.wake(List.of());
    return Objects.requireNonNull(permit);
  }

  Permit await(Waiter waiter) throws InterruptedException {
    try {
      while (true) {
        List<Signal> woken = List.of();
        Permit granted;
        long until;
        Optional<Scope> stopped;
        synchronized (regulator) {
          waiter.awaited = true;
          if (waiter.permit == null) {
            woken = regulator.dispatch(time.nanos());
          }
          // What was granted just before the scope was stopped does not leave any more.
          stopped = regulator.stopped(path);
          granted = stopped.isPresent() ? null : waiter.permit;
          waiter.taken = granted != null;
          until = Math.min(waiter.wakeAt, waiter.giveUpAt);
        }
        regulator.wake(woken);
        if (granted != null) {
          return granted;
        }
        requireRunning(stopped);
        requireInTime(waiter);
        waiter.signal.await(until);
      }
    } catch (InterruptedException | DeadlinePassedException | StoppedException gaveUp) {
      giveUp(waiter);
      throw gaveUp;
    }
  }

  Optional<Permit> poll(Waiter waiter) {
    List<Signal> woken = List.of();
    Permit granted;
    Optional<Scope> stopped;
    synchronized (regulator) {
      if (waiter.permit == null) {
        woken = regulator.dispatch(time.nanos());
      }
      stopped = regulator.stopped(path);
      granted = stopped.isPresent() ? null : waiter.permit;
      waiter.taken |= granted != null;
    }
    regulator.wake(woken);
    if (granted == null) {
      requireRunning(stopped);
      requireInTime(waiter);
    }
    return Optional.ofNullable(granted);
  }

  Waiting waitingFor(Waiter waiter) {
    synchronized (regulator) {
      long now = time.nanos();
      if (waiter.permit != null) {
        return Waiting.FOR_NOTHING;
      }
      Waiter head = queue.peek(now);
      return waiter.equals(head) || head == null
          ? binding(now, waiter)
          : new Waiting(Constraint.TURN, name, binding(now, head).untilNanos());
    }
  }

  /** A waiter that gives up leaves no trace, even if its permit had just been granted. */
  void giveUp(Waiter waiter) {
    List<Signal> woken;
    synchronized (regulator) {
      long now = time.nanos();
      waiter.gaveUp = true;
      if (waiter.permit == null) {
        queue.remove(waiter);
        release(waiter.kept);
      } else if (!waiter.taken) {
        end(waiter.permit, now);
      }
      woken = regulator.dispatch(now);
    }
    regulator.wake(woken);
  }

  void observe(Permit permit, ResponseFacts facts) {
    List<Signal> woken = new ArrayList<>();
    synchronized (regulator) {
      long now = time.nanos();
      permit.flow.observe(now, permit.ticket, facts);
      regulator.noteAll(now, regulated, flow);
      backoffs.wakeRefilled(facts, woken);
      woken.addAll(regulator.dispatch(now));
    }
    regulator.wake(woken);
  }

  Decision settle(Permit permit, Outcome outcome, Cost used) {
    Decision decision;
    List<Signal> woken;
    synchronized (regulator) {
      if (permit.ended) {
        return new Decision.Done();
      }
      long now = time.nanos();
      decision = settle(now, permit, outcome, used);
      woken = new ArrayList<>();
      if (outcome instanceof Outcome.Terminal(Outcome.Reach reach, String reason)) {
        stop(reach, reason, now, woken);
      }
      woken.addAll(regulator.dispatch(now));
    }
    regulator.wake(woken);
    return decision;
  }

  void cancel(Permit permit) {
    List<Signal> woken;
    synchronized (regulator) {
      if (permit.ended) {
        return;
      }
      long now = time.nanos();
      end(permit, now);
      woken = regulator.dispatch(now);
    }
    regulator.wake(woken);
  }

  /**
   * Waits for the next attempt of a request, holding nothing but, in some modes, its place.
   *
   * @return the place it kept
   */
  @Nullable Place backOff(Permit permit, Outcome outcome, Duration after)
      throws InterruptedException {
    Backoffs.Backoff backoff;
    Place kept;
    synchronized (regulator) {
      kept = permit.flow.keepsPlace(permit.ticket) ? new Place(permit.flow, permit.ticket) : null;
      Cost cost = permit.demand.estimate();
      backoff =
          new Backoffs.Backoff(
              time.signal("the next attempt at " + name),
              time.after(after),
              cost,
              Backoffs.saysEmpty(outcome, cost));
      backoffs.add(backoff);
    }
    try {
      backoff.signal().await(backoff.until());
      return kept;
    } catch (InterruptedException cancelled) {
      synchronized (regulator) {
        release(kept);
      }
      throw cancelled;
    } finally {
      synchronized (regulator) {
        backoffs.remove(backoff);
      }
    }
  }

  // What follows is called under the lock.

  boolean isWaitedFor() {
    return !queue.isEmpty();
  }

  /** Grants to those who may go, in order; says whether anybody could. */
  boolean dispatch(long now, List<Signal> woken) {
    boolean granted = false;
    if (regulator.stopped(path).isPresent()) {
      // Those who wait were woken to learn of it.
      return false;
    }
    for (Waiter head = queue.peek(now); head != null; head = queue.peek(now)) {
      if (now >= head.giveUpAt) {
        // Nobody may be there to notice: a reservation is only polled.
        queue.remove(head);
        release(head.kept);
        head.gaveUp = true;
        woken.add(head.signal);
        continue;
      }
      long wait = waitNanos(now, head.demand.estimate(), head.kept);
      if (wait > 0) {
        watch(head, wait == FlowControl.UNTIL_ANSWERED ? Time.NEVER : now + wait, woken);
        break;
      }
      queue.grant(head);
      head.permit = grant(now, head.demand, head.leased, head.kept);
      woken.add(head.signal);
      granted = true;
    }
    return granted;
  }

  void wakeIfUnder(Scope scope, List<Signal> woken) {
    if (path.contains(scope)) {
      queue.forEach(waiter -> woken.add(waiter.signal));
      backoffs.wakeAll(woken);
    }
  }

  /** Ends an attempt of which nothing is known. */
  void end(Permit permit, long now) {
    settle(now, permit, new Outcome.Nothing(), Cost.ONE_REQUEST);
  }

  private Decision settle(long now, Permit permit, Outcome outcome, Cost used) {
    permit.ended = true;
    regulator.leases.remove(permit);
    for (Scope scope : path) {
      scope.ended();
    }
    book.settle(
        permit.demand.estimate().of(Dimension.TOKENS),
        outcome instanceof Outcome.Clean ? used.of(Dimension.TOKENS) : 0);
    Decision decision = permit.flow.settle(now, permit.ticket, outcome, used);
    if (outcome instanceof Outcome.RateLimited(ResponseFacts facts)) {
      regulator.note(
          now, regulated, new LimitEvent.RateLimitHit(facts.serverWait(), facts.limitKind()));
    }
    if (decision instanceof Decision.Again) {
      decision = bounded(now, permit, outcome, decision);
    }
    regulator.noteAll(now, regulated, flow);
    return decision;
  }

  private Decision bounded(long now, Permit permit, Outcome outcome, Decision wanted) {
    int attempt = permit.demand.attempt();
    long deadline = permit.demand.deadlineNanos();
    Decision decision =
        bounds.apply(wanted, attempt, deadline == Time.NEVER ? Time.NEVER : deadline - now);
    if (decision instanceof Decision.Again(Duration after)) {
      retries++;
      regulator.note(now, model, new LimitEvent.Retrying(attempt, after, word(outcome)));
    }
    if (permit.leased || !(decision instanceof Decision.Again)) {
      // Nobody comes back for the place: a loop of its own asks for a new permit.
      permit.flow.abandon(permit.ticket);
    }
    return decision;
  }

  private static String word(Outcome outcome) {
    return switch (outcome) {
      case Outcome.RateLimited _ -> "rate limited";
      case Outcome.Overloaded _ -> "overloaded";
      case Outcome.Transient _ -> "transient failure";
      case Outcome.Clean _, Outcome.Terminal _, Outcome.Nothing _ -> "unknown";
    };
  }

  private void stop(Outcome.Reach reach, String reason, long now, List<Signal> woken) {
    switch (reach) {
      case REQUEST -> {}
      case MODEL -> regulator.stop(model, reason, now, woken);
      case ACCOUNT -> regulator.stop(path.get(1), reason, now, woken);
    }
  }

  /** Chooses the scope that learns, and gives it a flow of the mode. */
  private FlowControl regulate() {
    // Only a pace can be shared: the windows of the other modes are per model by definition.
    if (mode instanceof Mode.Pace(var settings) && family.isPresent()) {
      regulated = family.get();
      model.boundTo(settings.maxConnections());
    } else {
      regulated = model;
      model.boundTo(Scope.UNBOUNDED);
    }
    FlowControl shared = regulated.equals(model) ? null : regulated.flow();
    FlowControl chosen =
        shared == null ? FlowControl.of(mode, regulator.random, time.nanos()) : shared;
    regulated.regulateBy(chosen);
    return chosen;
  }

  private Waiter waiter(long now, Demand demand, boolean leased, @Nullable Place kept) {
    long giveUpAt = demand.deadlineNanos();
    if (mode instanceof Mode.Halving(_, Duration patience) && !patience.isZero()) {
      giveUpAt = Math.min(giveUpAt, now + patience.toNanos());
    }
    return new Waiter(demand, now, time.signal(waitingForPermit), giveUpAt, leased, kept);
  }

  private void enqueue(Waiter waiter) {
    queue.add(waiter);
    regulator.queued(this);
  }

  private @Nullable Permit grantAtOnce(
      long now, Demand demand, boolean leased, @Nullable Place kept) {
    Optional<Scope> stopped = regulator.stopped(path);
    if (stopped.isPresent()) {
      release(kept);
      requireRunning(stopped);
    }
    regulator.reclaim(now);
    return queue.isEmpty() && waitNanos(now, demand.estimate(), kept) == 0
        ? grant(now, demand, leased, kept)
        : null;
  }

  private long waitNanos(long now, Cost cost, @Nullable Place kept) {
    long wait = regulator.gapNanos(now);
    for (Scope scope : path) {
      // A place that was kept is room in the window already.
      long asked = scope.equals(regulated) && keepsPlace(kept) ? 0 : scope.waitNanos(now, cost);
      if (asked == FlowControl.UNTIL_ANSWERED) {
        return asked;
      }
      wait = Math.max(wait, asked);
    }
    return wait;
  }

  private Permit grant(long now, Demand demand, boolean leased, @Nullable Place kept) {
    regulator.started(now);
    for (Scope scope : path) {
      scope.started();
    }
    book.reserve(demand.estimate().of(Dimension.TOKENS));
    FlowControl.Ticket ticket;
    if (kept != null && keepsPlace(kept)) {
      ticket = flow.sendAgain(now, kept.ticket(), demand.estimate());
    } else {
      release(kept);
      ticket = flow.send(now, demand.estimate(), demand.attempt());
    }
    var permit = new Permit(this, demand, flow, ticket, leased);
    if (leased) {
      regulator.lease(permit, now);
    }
    regulator.noteAll(now, regulated, flow);
    return permit;
  }

  /** Whether the place is still worth something: the mode may have changed since. */
  private boolean keepsPlace(@Nullable Place kept) {
    return kept != null && kept.flow().equals(flow);
  }

  private static void release(@Nullable Place kept) {
    if (kept != null) {
      kept.flow().abandon(kept.ticket());
    }
  }

  /** Makes one of the queue the one who looks again, and wakes it if it must look earlier. */
  private void watch(Waiter head, long at, List<Signal> woken) {
    Waiter chosen = head.awaited ? head : queue.awaited();
    if (chosen == null) {
      return;
    }
    long until = Math.min(Math.min(at, head.giveUpAt), regulator.leases.nextEnd());
    if (!chosen.equals(watcher)) {
      if (watcher != null) {
        watcher.wakeAt = Time.NEVER;
      }
      watcher = chosen;
      woken.add(chosen.signal);
    } else if (until < chosen.wakeAt) {
      woken.add(chosen.signal);
    }
    chosen.wakeAt = until;
  }

  private Waiting binding(long now, Waiter waiter) {
    Cost cost = waiter.demand.estimate();
    long until = Long.MIN_VALUE;
    var constraint = Constraint.NOTHING;
    String where = "";
    if (regulator.gapNanos(now) > 0) {
      until = now + regulator.gapNanos(now);
      constraint = Constraint.DELAY;
    }
    for (Scope scope : path) {
      long wait = scope.waitNanos(now, cost);
      if (wait > 0) {
        long end = wait == FlowControl.UNTIL_ANSWERED ? Time.NEVER : now + wait;
        if (end > until) {
          until = end;
          where = scope.name;
          constraint = constraint(scope, now, cost);
        }
      }
    }
    return new Waiting(
        constraint,
        where,
        until == Time.NEVER || constraint == Constraint.NOTHING
            ? OptionalLong.empty()
            : OptionalLong.of(until));
  }

  private Constraint constraint(Scope scope, long now, Cost cost) {
    if (scope.isFull()) {
      return scope.equals(regulator.all) ? Constraint.MAX_CONCURRENCY : Constraint.WINDOW;
    }
    FlowControl by = scope.flow();
    Constraint told = by == null ? Constraint.WINDOW : by.binding(now, cost);
    return told == Constraint.NOTHING ? Constraint.WINDOW : told;
  }

  private static void requireRunning(Optional<Scope> stopped) {
    if (stopped.isPresent()) {
      Scope scope = stopped.get();
      throw new StoppedException(scope.name, scope.stopped().orElse("unknown"));
    }
  }

  private void requireInTime(Waiter waiter) {
    if (time.nanos() >= waiter.giveUpAt) {
      throw new DeadlinePassedException(
          waiter.giveUpAt == waiter.demand.deadlineNanos()
              ? "the deadline passed while a request waited for " + name
              : "the queue timeout passed while a request waited for " + name);
    }
  }
}

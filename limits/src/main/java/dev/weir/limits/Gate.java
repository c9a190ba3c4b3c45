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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The way in to one lane: who waits, who may go, and what is out.
 *
 * <p>A permit is granted when every scope on the path of the request lets it go: all calls, the
 * account, the family, the model.
 *
 * <p>Of those who wait, only one has a time to look again; it dispatches, and hands the watch on.
 * So there is one timer per lane, not one per request.
 *
 * <p>All of it is guarded by the lock of the regulator.
 */
final class Gate {

  private static final long PASSED_FOR_NANOS = 1_000_000L;

  private final Lane lane;
  private final Regulator regulator;
  private final Time time;
  final String name;
  private final String waitingForPermit;
  private final Scope[] path;
  private final Outlook outlook;
  private final Scope account;
  private final Scope model;
  private final Optional<Scope> family;

  private Mode mode;
  private RetryBounds bounds;
  // The scope of the path that learns, and its flow.
  private Scope regulated;
  private FlowControl flow;
  private final FairQueue queue = new FairQueue();
  final Backoffs backoffs = new Backoffs();
  private final Ledger.Book book = new Ledger.Book();
  private @Nullable Waiter watcher;
  private long retries;
  final Outage outage;
  final Hangs hangs = new Hangs();
  final Peers peers = new Peers();
  private final PacedTime paced = new PacedTime();
  // Absent while nobody asks for it: it takes longer than to get a permit.
  private @Nullable HeldTime held;
  private final CeilingMeter ceiling = new CeilingMeter();
  // Those of its engine, which others share.
  private final Optional<EngineCeilings.OfModel> configured;
  private final CeilingMeter configuredRates;

  Gate(
      Lane lane,
      Regulator regulator,
      LimitKey key,
      Mode mode,
      RetryBounds bounds,
      Optional<EngineCeilings.OfModel> configured) {
    this.lane = lane;
    this.regulator = regulator;
    this.time = regulator.time;
    this.name = key.modelScope();
    this.waitingForPermit = "a permit of " + name;
    this.mode = mode;
    this.bounds = bounds;
    this.account = regulator.scope(key.accountScope());
    this.outage = new Outage(account);
    this.model = regulator.scope(name);
    this.family = key.familyScope().map(regulator::scope);
    List<Scope> scopes = new ArrayList<>(List.of(regulator.all, account));
    family.ifPresent(scopes::add);
    scopes.add(model);
    configured.ifPresent(ceilings -> scopes.addAll(List.of(ceilings.engine(), ceilings.model())));
    this.configured = configured;
    this.configuredRates =
        configured.map(EngineCeilings.OfModel::rates).orElseGet(CeilingMeter::new);
    this.path = scopes.toArray(new Scope[0]);
    this.outlook = new Outlook(regulator, path);
    this.regulated = model;
    this.flow = regulate();
  }

  Mode mode() {
    return mode;
  }

  RetryBounds bounds() {
    return bounds;
  }

  /** How many failures make a request poisoned; 0 if no number does. */
  int attemptsToPoison() {
    return bounds
        .maxPoisonedAttempts()
        .orElse(mode instanceof Mode.Pace ? RetryBounds.DEFAULT_POISONED_ATTEMPTS : 0);
  }

  void retune(RetryBounds newBounds) {
    bounds = newBounds;
  }

  RateCeiling ceiling() {
    return ceiling.ceiling();
  }

  void limitTo(RateCeiling newCeiling) {
    ceiling.limitTo(newCeiling);
  }

  void boundOutage(OutageBounds newBounds) {
    outage.bound(newBounds);
  }

  /** When requests that wait are to look whether the provider has been away for too long. */
  long outageEndsAt(long now) {
    return regulator.isHeld() ? Time.NEVER : outage.endsAt(now);
  }

  /** Stops the model if the provider has not answered for too long. */
  void stopAfterOutage(long now, List<Signal> woken) {
    if (!regulator.isHeld() && outage.isTooLong(now)) {
      regulator.stop(model, outage.reason(now), /* outage= */ true, now, woken);
      hangs.wakeAll(woken);
      // After a resume, the provider has its time again.
      outage.end();
    }
  }

  /** Whether attempts in flight are not waited for any more. */
  boolean hasOutage() {
    return model.hasOutage();
  }

  /** Takes over other bounds or another mode; what is in flight goes on, and counts. */
  void retune(long now, Mode newMode) {
    mode = newMode;
    if (!flow.retune(now, newMode)) {
      int before = flow.window();
      regulator.keep(regulated, flow);
      flow = regulate();
      // A place that was kept in the old window is none in the new one.
      queue.leavePlaces(Gate::release);
      if (flow.window() != before) {
        regulator.note(
            now,
            regulated,
            new LimitEvent.WindowChanged(before, flow.window(), WindowChange.Reason.MANUAL));
      }
    }
    regulator.noteAll(now, regulated, flow);
  }

  Lane.Status status() {
    // Of a flow that is shared with others, only its own calls count. Of its own flow, those that
    // left under an earlier mode are missing, and places that are kept are counted only there.
    int inFlight =
        regulated.equals(model) ? Math.max(flow.inFlight(), model.inFlight()) : model.inFlight();
    return new Lane.Status(
        inFlight,
        flow.window(),
        queue.size(),
        backoffs.size(),
        retries,
        hangs.abandoned(),
        Duration.ofNanos(hangs.lastAfterNanos()),
        configured.isPresent() && regulator.hasEngineLimits(lane.key()));
  }

  List<WindowChange> history() {
    return flow.history();
  }

  /**
   * The time, if anything depends on it; else any number. To read the clock takes longer than all
   * the rest of getting a permit that is there.
   */
  long now() {
    return isTimed() || outage.isBounded() || regulator.isTimed() ? time.nanos() : 0;
  }

  private boolean isTimed() {
    return flow.isTimed() || ceiling.isSet() || configuredRates.isSet();
  }

  Ledger ledger() {
    return book.ledger();
  }

  /** The scope on the path that is stopped, if one is. */
  Optional<Scope> stopped() {
    for (Scope scope : path) {
      if (scope.isStopped()) {
        return Optional.of(scope);
      }
    }
    return Optional.empty();
  }

  /** Whether what happens here can make room for other lanes. */
  boolean sharesRoom() {
    return family.isPresent()
        || account.isBounded()
        || configured.filter(EngineCeilings.OfModel::isBounded).isPresent();
  }

  boolean isWaitedFor() {
    return !queue.isEmpty();
  }

  /**
   * Grants to those who may go, in order; says whether anybody could.
   *
   * @param asker who looks for itself, if somebody does: it need not be woken first
   */
  boolean dispatch(long now, @Nullable Waiter asker, List<Signal> woken) {
    boolean granted = grantInOrder(now, asker, woken);
    noteHeld();
    return granted;
  }

  /** To be called after each change of what the next in line waits for, if it is measured. */
  void noteHeld() {
    HeldTime measured = held;
    if (measured != null) {
      long now = time.nanos();
      measured.waitsFor(now, waitingFor(now));
    }
  }

  void measureHeld() {
    if (held == null) {
      held = new HeldTime();
      noteHeld();
    }
  }

  List<Held> held() {
    return held == null ? List.of() : held.read(time.nanos());
  }

  private boolean grantInOrder(long now, @Nullable Waiter asker, List<Signal> woken) {
    boolean granted = false;
    stopAfterOutage(now, woken);
    if (stopped().isPresent()) {
      // Those who wait were woken to learn of it.
      return false;
    }
    for (Waiter head = queue.peek(now); head != null; head = queue.peek(now)) {
      if (now >= head.giveUpAt) {
        // Nobody may be there to notice: a reservation is only polled.
        queue.remove(head);
        release(head.kept);
        forget(head);
        woken.add(head.signal);
        continue;
      }
      long wait = waitNanos(now, head.demand.estimate(), head.kept);
      if (wait > 0) {
        paced.waitsForTime(now, wait != FlowControl.UNTIL_ANSWERED);
        long at = wait == FlowControl.UNTIL_ANSWERED ? Time.NEVER : now + wait;
        watch(head, isToBeCalled(now, head) ? head.since + PASSED_FOR_NANOS : at, woken);
        break;
      }
      if (isToBeCalled(now, head) && !head.equals(asker)) {
        if (!head.isCalled) {
          head.isCalled = true;
          woken.add(head.signal);
        } else {
          watch(head, head.since + PASSED_FOR_NANOS, woken);
        }
        break;
      }
      queue.grant(head);
      forget(head);
      Permit permit = grant(now, head.demand, head.leased, head.kept);
      permit.pacedNanos = paced.read(now) - head.pacedBefore;
      paced.waitsForTime(now, false);
      head.permit = permit;
      woken.add(head.signal);
      granted = true;
    }
    return granted;
  }

  /**
   * Whether the place is not handed over, but taken by whoever is there first: the one in line,
   * once it is awake, or one that comes meanwhile. To wake a thread takes longer than many permits
   * are held for under such contention. Nobody is passed for more than a millisecond, and no retry
   * or sample in progress is passed at all.
   */
  private boolean isToBeCalled(long now, Waiter head) {
    return head.awaited
        && !head.reserved
        && head.kept == null
        && head.demand.standing() == Demand.Standing.NEW
        && !isTimed()
        && now - head.since < PASSED_FOR_NANOS;
  }

  void wakeIfUnder(Scope scope, List<Signal> woken) {
    if (Arrays.asList(path).contains(scope)) {
      queue.forEach(waiter -> woken.add(waiter.signal));
      backoffs.wakeAll(woken);
    }
  }

  /** Ends an attempt of which nothing is known. */
  void end(Permit permit, long now) {
    settle(now, permit, new Outcome.Nothing(), Cost.ONE_REQUEST);
  }

  void observe(long now, Permit permit, ResponseFacts facts, List<Signal> woken) {
    permit.flow.observe(now, permit.ticket, facts);
    regulator.noteAll(now, regulated, flow);
    // With a bound on retries, one that comes too early and fails is lost for good.
    if (flow.mayRetryEarly() && bounds.maxRetries().isEmpty()) {
      backoffs.wakeRefilled(facts, woken);
    }
  }

  Decision settle(long now, Permit permit, Outcome outcome, Cost used) {
    leave(permit);
    Cost estimate = permit.demand.estimate();
    Cost counted = outcome instanceof Outcome.Clean ? used : Cost.ONE_REQUEST;
    book.settle(estimate.of(Dimension.TOKENS), counted.of(Dimension.TOKENS));
    ceiling.settle(estimate, counted);
    configuredRates.settle(estimate, counted);
    Decision decision = permit.flow.settle(now, permit.ticket, outcome, used, bounds);
    if (outcome instanceof Outcome.Clean) {
      peers.succeeded();
    }
    switch (outcome) {
      case Outcome.Transient(Outcome.Contact contact) -> {
        failed(contact, Optional.empty());
        if (permit.failures != null) {
          peers.failed(permit.failures, time.nanos());
        }
      }
      case Outcome.Overloaded(ResponseFacts facts, Outcome.Contact contact) ->
          failed(contact, facts.serverWait());
      case Outcome.Nothing _ -> {}
      case Outcome.Clean _, Outcome.RateLimited _, Outcome.Terminal _ -> outage.answered();
    }
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

  private void failed(Outcome.Contact contact, Optional<Duration> serverWait) {
    if (contact == Outcome.Contact.ANSWERED) {
      outage.answered();
    } else {
      outage.failed(time.nanos(), contact, serverWait);
    }
  }

  /** Learns how long an answer took; those who wait for one may have to look again. */
  void endWatch(Permit permit, Outcome outcome, List<Signal> woken) {
    Hangs.Flight flight = permit.flight;
    if (flight != null) {
      permit.flight = null;
      if (outcome instanceof Outcome.Clean) {
        hangs.answered(flight, time.nanos(), woken);
      } else {
        hangs.end(flight);
      }
    }
  }

  private void leave(Permit permit) {
    permit.ended = true;
    outage.ended(permit);
    regulator.leases.remove(permit);
    for (Scope scope : path) {
      scope.ended();
    }
  }

  private Decision bounded(long now, Permit permit, Outcome outcome, Decision wanted) {
    int attempt = permit.demand.attempt();
    long deadline = permit.demand.deadlineNanos();
    // While the provider is away, attempts are its probes and not at the request's expense; but
    // who was promised a number of attempts does not get more.
    permit.spared =
        bounds.maxRetries().isEmpty()
            && outcome instanceof Outcome.Transient
            && permit.flow.isProviderAway();
    Decision decision =
        bounds.apply(
            givenUp(permit, outcome).<Decision>map(Decision.GiveUp::new).orElse(wanted),
            attempt,
            deadline == Time.NEVER ? Time.NEVER : deadline - time.nanos());
    if (decision instanceof Decision.Again(Duration after)) {
      regulator.note(now, model, new LimitEvent.Retrying(attempt, after, word(outcome)));
    }
    if (permit.leased || !(decision instanceof Decision.Again)) {
      // Nobody comes back for the place: a loop of its own asks for a new permit.
      permit.flow.abandon(permit.ticket);
    }
    return decision;
  }

  /** Why a failed attempt is not made again, if another would be of no use. */
  private Optional<String> givenUp(Permit permit, Outcome outcome) {
    if (!(outcome instanceof Outcome.Transient)) {
      return Optional.empty();
    }
    FailureRecord failures = permit.failures;
    if (failures != null && failures.isPoisoned()) {
      return Optional.of(failures.reason());
    }
    return permit.demand.isLastChance() ? Optional.of("it has failed too often") : Optional.empty();
  }

  private static String word(Outcome outcome) {
    return switch (outcome) {
      case Outcome.RateLimited _ -> "rate limited";
      case Outcome.Overloaded _ -> "overloaded";
      case Outcome.Transient _ -> "transient failure";
      case Outcome.Clean _, Outcome.Terminal _, Outcome.Nothing _ -> "unknown";
    };
  }

  void stop(Outcome.Reach reach, String reason, long now, List<Signal> woken) {
    switch (reach) {
      case REQUEST -> {}
      case MODEL -> regulator.stop(model, reason, now, woken);
      case ACCOUNT -> regulator.stop(account, reason, now, woken);
    }
  }

  /** Chooses the scope that learns, and gives it a flow of the mode. */
  private FlowControl regulate() {
    // Only a pace can be shared: the windows of the other modes are per model by definition.
    if (mode instanceof Mode.Pace(var settings) && family.isPresent()) {
      regulated = family.get();
      model.regulateBy(null);
      model.boundTo(settings.maxConnections());
    } else {
      regulated = model;
      model.boundTo(Scope.UNBOUNDED);
    }
    FlowControl shared = regulated.equals(model) ? null : regulated.flow();
    FlowControl chosen = shared == null ? regulator.flow(mode, regulated) : shared;
    regulated.regulateBy(chosen);
    return chosen;
  }

  /**
   * Puts a request in line.
   *
   * @param awaited whether its task is about to sleep on its signal
   */
  Waiter enqueue(
      Demand demand, boolean leased, @Nullable Place kept, boolean awaited, List<Signal> woken) {
    long now = time.nanos();
    if (!keepsPlace(kept)) {
      release(kept);
    }
    Waiter waiter = waiter(now, demand, leased, keepsPlace(kept) ? kept : null);
    waiter.awaited = awaited;
    queue.add(waiter);
    regulator.queued(this);
    if (watcher == null || waiter.equals(queue.peek(now))) {
      woken.addAll(regulator.dispatch(now, this, awaited ? waiter : null));
    }
    return waiter;
  }

  Waiter waiter(long now, Demand demand, boolean leased, @Nullable Place kept) {
    long giveUpAt = demand.deadlineNanos();
    Duration patience =
        bounds
            .queueTimeout()
            .orElse(
                mode instanceof Mode.Halving ? Mode.Halving.DEFAULT_QUEUE_TIMEOUT : Duration.ZERO);
    if (!patience.isZero()) {
      giveUpAt = Math.min(giveUpAt, time.after(patience));
    }
    var waiter = new Waiter(demand, now, time.signal(waitingForPermit), giveUpAt, leased, kept);
    waiter.pacedBefore = paced.read(now);
    return waiter;
  }

  /** Takes a request out of the line that is no longer wanted, or ends the permit it has. */
  void giveUp(long now, Waiter waiter) {
    Permit permit = waiter.permit;
    if (permit == null) {
      queue.remove(waiter);
      forget(waiter);
      release(waiter.kept);
      noteHeld();
    } else if (!waiter.taken && !permit.ended) {
      leave(permit);
      permit.flow.withdraw(now, permit.ticket);
      book.settle(permit.demand.estimate().of(Dimension.TOKENS), 0);
      ceiling.withdraw(permit.demand.estimate());
      configuredRates.withdraw(permit.demand.estimate());
    }
  }

  /** One who has left the line watches no more. */
  private void forget(Waiter waiter) {
    if (waiter.equals(watcher)) {
      watcher = null;
    }
  }

  /** What nobody wants any more is not begun. */
  private boolean isTooLate(Demand demand) {
    return demand.deadlineNanos() != Time.NEVER && demand.deadlineNanos() <= time.nanos();
  }

  /**
   * A permit, if there is one without overtaking anybody.
   *
   * @throws StoppedException if a scope on the path is stopped
   */
  @Nullable Permit grantAtOnce(
      long now, Demand demand, boolean leased, @Nullable Place kept, boolean mayPass) {
    Optional<Scope> stopped = stopped();
    if (stopped.isPresent()) {
      release(kept);
      throw stopped.get().stoppedException();
    }
    if (isTooLate(demand)) {
      return null;
    }
    Waiter head = queue.isEmpty() ? null : queue.peek(now);
    if (head != null && !(mayPass && isToBeCalled(now, head))) {
      return null;
    }
    boolean free =
        waitNanos(now, demand.estimate(), kept) == 0
            || (regulator.reclaim(time.nanos()) && waitNanos(now, demand.estimate(), kept) == 0);
    return free ? grant(now, demand, leased, kept) : null;
  }

  private long waitNanos(long now, Cost cost, @Nullable Place kept) {
    long wait =
        Math.max(
            regulator.gapNanos(now),
            Math.max(ceiling.waitNanos(now), configuredRates.waitNanos(now)));
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
    // Not by the number of the attempt: those that an outage spares do not count towards a bound.
    if (demand.standing() == Demand.Standing.RETRY) {
      retries++;
    }
    for (Scope scope : path) {
      scope.started();
    }
    book.reserve(demand.estimate().of(Dimension.TOKENS));
    ceiling.sent(now, demand.estimate());
    configuredRates.sent(now, demand.estimate());
    FlowControl.Ticket ticket;
    if (kept != null && keepsPlace(kept)) {
      ticket = flow.sendAgain(now, kept.ticket(), demand.estimate());
    } else {
      release(kept);
      ticket = flow.send(now, demand.estimate(), demand.attempt());
    }
    var permit = new Permit(lane, demand, flow, ticket, leased);
    outage.sent(permit, now);
    if (leased) {
      regulator.leases.add(permit);
    }
    regulator.noteAll(now, regulated, flow);
    return permit;
  }

  /** Whether the place is still worth something: the mode may have changed since. */
  private boolean keepsPlace(@Nullable Place kept) {
    return kept != null && kept.flow().equals(flow);
  }

  static void release(@Nullable Place kept) {
    if (kept != null) {
      kept.flow().abandon(kept.ticket());
    }
  }

  /** Makes one of the queue the one who looks again, and wakes it if it must look earlier. */
  private void watch(Waiter head, long at, List<Signal> woken) {
    Waiter chosen = head.awaited ? head : queue.find(waiter -> waiter.awaited);
    if (chosen == null) {
      return;
    }
    long until = Math.min(Math.min(at, head.giveUpAt), regulator.leases.nextEnd());
    until = Math.min(until, outageEndsAt(time.nanos()));
    if (!chosen.equals(watcher)) {
      if (watcher != null) {
        watcher.wakeAt = Time.NEVER;
      }
      watcher = chosen;
    }
    if (until < chosen.wakeAt) {
      // It sleeps for longer than it may.
      woken.add(chosen.signal);
    }
    chosen.wakeAt = until;
  }

  /** What the next in line waits for; or else, those who wait for another attempt. */
  Waiting waitingFor(long now) {
    Waiter head = queue.peek(now);
    if (head != null) {
      return outlook(now, head.demand.estimate());
    }
    return backoffs.size() == 0
        ? Waiting.FOR_NOTHING
        : new Waiting(Constraint.BACKOFF, name, OptionalLong.of(backoffs.nextEnd()));
  }

  /** What a request that is not in line would wait for. */
  Waiting waitingFor(long now, Demand demand) {
    Waiter head = queue.peek(now);
    return head == null ? outlook(now, demand.estimate()) : behind(now, head);
  }

  Waiting waitingFor(long now, Waiter waiter) {
    if (waiter.permit != null) {
      return Waiting.FOR_NOTHING;
    }
    Waiter head = queue.peek(now);
    return head == null || waiter.equals(head)
        ? outlook(now, waiter.demand.estimate())
        : behind(now, head);
  }

  private Waiting outlook(long now, Cost cost) {
    Waiting ofPath = outlook.waitingFor(now, cost);
    Waiting ofLane = later(now, ofPath, ceiling, Constraint.PACE, name);
    return configured
        .map(of -> later(now, ofLane, of.rates(), Constraint.ENGINE_LIMIT, of.model().name))
        .orElse(ofLane);
  }

  /** What a request waits for if it keeps to a ceiling, too. */
  private static Waiting later(
      long now, Waiting other, CeilingMeter meter, Constraint constraint, String scope) {
    long wait = meter.waitNanos(now);
    boolean isLonger =
        other.constraint() == Constraint.NOTHING
            || (other.untilNanos().isPresent() && other.untilNanos().getAsLong() < now + wait);
    return wait > 0 && isLonger
        ? new Waiting(constraint, Optional.of(meter.binding()), scope, OptionalLong.of(now + wait))
        : other;
  }

  private Waiting behind(long now, Waiter head) {
    return new Waiting(Constraint.TURN, name, outlook(now, head.demand.estimate()).untilNanos());
  }
}

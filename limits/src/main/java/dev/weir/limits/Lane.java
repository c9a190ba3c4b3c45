package dev.weir.limits;

import dev.weir.limits.Waiter.Place;
import dev.weir.limits.control.WindowChange;
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
import org.jspecify.annotations.Nullable;

/**
 * The way to one model: {@link #call} for programs that leave queue, permit, attempt and retry to
 * it; {@link #acquire}, {@link #tryAcquire} and {@link #reserve} for those with a loop of their
 * own.
 *
 * <p>Thread-safe: everything is guarded by the lock of the regulator, and signals are sent after it
 * is left.
 */
public final class Lane {

  private final Regulator regulator;
  final Time time;
  private final LimitKey key;
  private final boolean isLive;
  // Guarded by the regulator.
  final Gate gate;

  /** Called under the lock of the regulator. */
  Lane(
      Regulator regulator,
      LimitKey key,
      Mode mode,
      RetryBounds bounds,
      Optional<EngineCeilings.OfModel> configured) {
    this.regulator = regulator;
    this.time = regulator.time;
    this.key = key;
    this.isLive = configured.isPresent();
    this.gate = new Gate(this, regulator, key, mode, bounds, configured);
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
    RetryBounds bounds;
    FailureRecord failures;
    synchronized (regulator) {
      bounds = gate.bounds();
      failures = new FailureRecord(gate.attemptsToPoison());
      if (!gate.peers.areThere()) {
        // While nothing is asked, nothing is unanswered.
        gate.outage.end();
      }
    }
    gate.peers.begin();
    try {
      return new CallLoop<>(this, bounds, demand, attempt, failures).run();
    } finally {
      end(failures);
    }
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
      permit = gate.grantAtOnce(gate.now(), demand, true, null, false);
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
    List<Signal> woken = new ArrayList<>();
    synchronized (regulator) {
      Permit permit = gate.grantAtOnce(gate.now(), demand, true, null, false);
      if (permit == null) {
        waiter = gate.enqueue(demand, true, null, false, woken);
      } else {
        waiter = gate.waiter(time.nanos(), demand, true, null);
        waiter.permit = permit;
      }
      waiter.reserved = true;
    }
    regulator.wake(woken);
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
      gate.retune(now, newMode);
      gate.backoffs.wakeAll(woken);
      woken.addAll(regulator.dispatch(now, gate, null));
    }
    regulator.wake(woken);
  }

  /** Changes how long requests are tried for; those that have begun keep what they began with. */
  public void retune(RetryBounds newBounds) {
    synchronized (regulator) {
      gate.retune(newBounds);
    }
  }

  /** Bounds what is sent per minute, beside the window of its mode. */
  public void limitTo(RateCeiling ceiling) {
    List<Signal> woken;
    synchronized (regulator) {
      gate.limitTo(ceiling);
      woken = regulator.dispatch(time.nanos(), gate, null);
    }
    regulator.wake(woken);
  }

  public RateCeiling ceiling() {
    synchronized (regulator) {
      return gate.ceiling();
    }
  }

  /**
   * Bounds how long the provider may be unreachable. After that all requests, waiting and new ones,
   * fail with a {@link StoppedException} until {@link Regulator#resume}. Without a bound, which is
   * the default, the lane waits as long as each request may take.
   */
  public void boundOutage(OutageBounds bounds) {
    synchronized (regulator) {
      gate.boundOutage(bounds);
    }
  }

  public Mode mode() {
    synchronized (regulator) {
      return gate.mode();
    }
  }

  public RetryBounds bounds() {
    synchronized (regulator) {
      return gate.bounds();
    }
  }

  public Status status() {
    synchronized (regulator) {
      return gate.status();
    }
  }

  /** The latest moves of the window, oldest first; in mode {@code pace}, notices tell them. */
  public List<WindowChange> history() {
    synchronized (regulator) {
      return gate.history();
    }
  }

  /** Begins to measure what requests wait for; see {@link #held}. */
  public void measureHeld() {
    synchronized (regulator) {
      gate.measureHeld();
    }
  }

  /**
   * For how long requests have waited for what since {@link #measureHeld}: at each moment, what the
   * next in line waits for counts, or the backoff of those that wait for another attempt.
   */
  public List<Held> held() {
    synchronized (regulator) {
      return gate.held();
    }
  }

  /** What was reserved, in tokens, and what became of it. */
  public Ledger ledger() {
    synchronized (regulator) {
      return gate.ledger();
    }
  }

  /** What such a request would wait for if it came now, and until when. */
  public Waiting waitingFor(Demand demand) {
    synchronized (regulator) {
      return gate.waitingFor(time.nanos(), demand);
    }
  }

  /** What the next request in line waits for, and until when. */
  public Waiting waitingFor() {
    synchronized (regulator) {
      return gate.waitingFor(time.nanos());
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
   * @param abandoned attempts that were abandoned because they hung, so far
   * @param abandonedAfter how long the last of them was waited for
   * @param hasEngineLimit whether {@link EngineLimits} are configured for it, enforced or not: they
   *     are confidential, and its counts would show them
   */
  public record Status(
      int inFlight,
      int window,
      int waiting,
      int backingOff,
      long retries,
      long abandoned,
      Duration abandonedAfter,
      boolean hasEngineLimit) {

    /** Without abandoned attempts, and without limits of its engine. */
    public Status(int inFlight, int window, int waiting, int backingOff, long retries) {
      this(inFlight, window, waiting, backingOff, retries, 0, Duration.ZERO, false);
    }
  }

  /** What its limits belong to. */
  public LimitKey key() {
    return key;
  }

  /** Whether its calls count in {@link EngineLimits}; those of batches do not. */
  public boolean isLive() {
    return isLive;
  }

  /** The scope of its model, as events name it. */
  public String name() {
    return gate.name;
  }

  // For the call loop, permits and reservations: these take the lock themselves.

  /**
   * @param leased whether the permit must come back by itself if its owner dies
   * @param kept the place in the window that the request has kept, if it has
   */
  Permit acquire(Demand demand, boolean leased, @Nullable Place kept) throws InterruptedException {
    Permit granted;
    Waiter waiter = null;
    List<Signal> woken = List.of();
    synchronized (regulator) {
      granted = gate.grantAtOnce(gate.now(), demand, leased, kept, true);
      if (granted == null) {
        woken = new ArrayList<>(2);
        waiter = gate.enqueue(demand, leased, kept, true, woken);
        // It does not sleep yet, so it need not be woken.
        woken.remove(waiter.signal);
        granted = waiter.permit;
      }
    }
    regulator.wake(woken);
    return granted == null ? await(Objects.requireNonNull(waiter)) : granted;
  }

  Permit await(Waiter waiter) throws InterruptedException {
    try {
      while (true) {
        waiter.signal.await(waiter.sleepUntil());
        Permit granted = waiter.permit;
        if (granted == null || waiter.reserved || gate.stopped().isPresent()) {
          Optional<Permit> polled = poll(waiter);
          if (polled.isPresent()) {
            return polled.get();
          }
        } else {
          // No need for the lock: nobody else knows of this waiter any more.
          return granted;
        }
      }
    } catch (InterruptedException | DeadlinePassedException | StoppedException gaveUp) {
      giveUp(waiter);
      throw gaveUp;
    }
  }

  /** Where a task will sleep for a reservation. */
  Permit awaitReserved(Waiter waiter) throws InterruptedException {
    synchronized (regulator) {
      requireOpen(waiter);
      waiter.awaited = true;
    }
    Optional<Permit> granted = poll(waiter);
    return granted.isPresent() ? granted.get() : await(waiter);
  }

  Optional<Permit> poll(Waiter waiter) {
    List<Signal> woken = List.of();
    Permit granted;
    Optional<Scope> stopped;
    synchronized (regulator) {
      requireOpen(waiter);
      if (waiter.permit == null) {
        woken = regulator.dispatch(time.nanos(), gate, waiter);
      }
      // What was granted just before the scope was stopped does not leave any more.
      stopped = gate.stopped();
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
      return gate.waitingFor(time.nanos(), waiter);
    }
  }

  /** A waiter that gives up leaves no trace, even if its permit had just been granted. */
  void giveUp(Waiter waiter) {
    List<Signal> woken;
    synchronized (regulator) {
      long now = time.nanos();
      waiter.closed = true;
      gate.giveUp(now, waiter);
      woken = regulator.dispatch(now, gate, null);
    }
    regulator.wake(woken);
  }

  void observe(Permit permit, ResponseFacts facts) {
    List<Signal> woken = new ArrayList<>();
    synchronized (regulator) {
      long now = time.nanos();
      gate.observe(now, permit, facts, woken);
      woken.addAll(regulator.dispatch(now, gate, null));
    }
    regulator.wake(woken);
  }

  private void end(FailureRecord failures) {
    if (failures.hasFailed()) {
      synchronized (regulator) {
        gate.peers.end(failures);
      }
    } else {
      gate.peers.end(failures);
    }
  }

  /**
   * Watches for a hang of an attempt that begins now.
   *
   * @param abandonedBefore after how long each attempt of the same request was abandoned
   * @return with the signal that the attempt has ended, or is to be looked at
   */
  Hangs.Flight watchForHang(Permit permit, List<Duration> abandonedBefore) {
    Signal signal = time.signal("an answer of " + gate.name);
    synchronized (regulator) {
      Hangs.Flight flight =
          gate.hangs.begin(permit.demand.kind(), signal, time.nanos(), abandonedBefore);
      permit.flight = flight;
      return flight;
    }
  }

  /** When an attempt is to be looked at again; {@link Time#NEVER} if its answer is arriving. */
  long hangsAt(Permit permit, Hangs.Flight flight) {
    if (permit.isAnswering) {
      return Time.NEVER;
    }
    synchronized (regulator) {
      return gate.hasOutage() ? time.nanos() : flight.boundAt();
    }
  }

  /**
   * Gives up on an attempt; to be called before it is settled.
   *
   * @return how long it was waited for
   */
  Duration abandon(Permit permit, Hangs.Flight flight) {
    List<Signal> woken = new ArrayList<>();
    Duration after;
    synchronized (regulator) {
      permit.flight = null;
      long now = time.nanos();
      if (now < flight.boundAt()) {
        // It is interrupted because the model is stopped: that says nothing of how long answers
        // take.
        gate.hangs.end(flight);
        after = Hangs.since(flight, now);
      } else {
        after = gate.hangs.abandon(flight, now, woken);
      }
    }
    regulator.wake(woken);
    return after;
  }

  Decision settle(Permit permit, Outcome outcome, Cost used) {
    Decision decision;
    List<Signal> woken;
    synchronized (regulator) {
      if (permit.ended) {
        return new Decision.Done();
      }
      long now = gate.now();
      decision = gate.settle(now, permit, outcome, used);
      woken = new ArrayList<>();
      gate.endWatch(permit, outcome, woken);
      if (outcome instanceof Outcome.Terminal(Outcome.Reach reach, String reason)) {
        gate.stop(reach, reason, now, woken);
      }
      gate.stopAfterOutage(time.nanos(), woken);
      woken.addAll(regulator.dispatch(now, gate, null));
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
      long now = gate.now();
      gate.end(permit, now);
      gate.endWatch(permit, new Outcome.Nothing(), List.of());
      woken = regulator.dispatch(now, gate, null);
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
              time.signal("the next attempt at " + gate.name),
              time.after(after),
              cost,
              Backoffs.saysEmpty(outcome, cost));
      gate.backoffs.add(backoff);
      gate.noteHeld();
    }
    try {
      awaitEnd(backoff);
      return kept;
    } catch (InterruptedException | StoppedException cancelled) {
      List<Signal> woken;
      synchronized (regulator) {
        Gate.release(kept);
        woken = regulator.dispatch(time.nanos(), gate, null);
      }
      regulator.wake(woken);
      throw cancelled;
    } finally {
      synchronized (regulator) {
        gate.backoffs.remove(backoff);
        gate.noteHeld();
      }
    }
  }

  /**
   * Returns when the wait is over, or another attempt may be made earlier.
   *
   * @throws StoppedException if none may be made any more
   */
  private void awaitEnd(Backoffs.Backoff backoff) throws InterruptedException {
    while (true) {
      List<Signal> woken = new ArrayList<>();
      long lookAt;
      Optional<Scope> stopped;
      synchronized (regulator) {
        long now = time.nanos();
        gate.stopAfterOutage(now, woken);
        stopped = gate.stopped();
        lookAt = gate.outageEndsAt(now);
      }
      regulator.wake(woken);
      requireRunning(stopped);
      if (backoff.signal().await(Math.min(lookAt, backoff.until()))
          || time.nanos() >= backoff.until()) {
        return;
      }
    }
  }

  private static void requireOpen(Waiter waiter) {
    if (waiter.closed) {
      throw new IllegalStateException("cannot take a permit: the reservation was closed");
    }
  }

  private static void requireRunning(Optional<Scope> stopped) {
    if (stopped.isPresent()) {
      throw stopped.get().stoppedException();
    }
  }

  private void requireInTime(Waiter waiter) {
    if (time.nanos() >= waiter.giveUpAt) {
      throw new DeadlinePassedException(
          waiter.giveUpAt == waiter.demand.deadlineNanos()
              ? "the deadline passed while a request waited for " + gate.name
              : "the queue timeout passed while a request waited for " + gate.name);
    }
  }
}

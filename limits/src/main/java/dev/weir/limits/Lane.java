package dev.weir.limits;

import dev.weir.limits.Demand.Standing;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The call loop of one model: queue, permit, attempt, and again if need be.
 *
 * <p>It is the only place that retries. While a request waits for another attempt it holds nothing
 * (in mode {@code aimd}, a refused one keeps its place in the window).
 *
 * <p>Of those who wait, only the first has a time to look again; it dispatches, and whoever becomes
 * the first is woken to take over the watch. So there is one timer per lane, not one per request.
 *
 * <p>Thread-safe: everything is guarded by the lock of the regulator, and signals are sent after it
 * is left.
 */
public final class Lane {

  private final Regulator regulator;
  private final Time time;
  private final String name;

  // Guarded by the regulator.
  private final FlowControl flow;
  private final FairQueue queue = new FairQueue();
  private @Nullable Waiter watcher;
  private int backingOff;
  private long retries;

  Lane(Regulator regulator, String name, FlowControl flow) {
    this.regulator = regulator;
    this.time = regulator.time;
    this.name = name;
    this.flow = flow;
  }

  /**
   * Makes attempts until one of them is answered or fails for good.
   *
   * @throws DeadlinePassedException if the demand's deadline comes while the request waits
   */
  public <T> Call<T> call(Demand demand, Attempt<T> attempt) throws InterruptedException {
    var times = new Stopwatch(time);
    FlowControl.Ticket kept = null;
    for (int number = 1; ; number++) {
      Demand asked = number == 1 ? demand : demand.with(Standing.RETRY);
      Permit permit = acquire(asked, number, kept);
      times.granted();
      Attempt.Result<T> result;
      Decision decision;
      try (permit) {
        result = attempt.run(permit);
        decision = permit.settle(result.outcome(), result.used());
      }
      times.ended();
      switch (decision) {
        case Decision.Done() -> {
          return times.call(result, number, Optional.empty());
        }
        case Decision.GiveUp(String reason) -> {
          return times.call(result, number, Optional.of(reason));
        }
        case Decision.Again(Duration after) -> {
          times.failed();
          kept = backOff(permit, after, demand);
          times.backedOff();
        }
      }
    }
  }

  /**
   * Waits for a permit.
   *
   * @throws DeadlinePassedException if the demand's deadline comes first
   */
  public Permit acquire(Demand demand) throws InterruptedException {
    return acquire(demand, 1, null);
  }

  /** A permit, if one can be had at once without overtaking anybody. */
  public Optional<Permit> tryAcquire(Demand demand) {
    synchronized (regulator) {
      long now = time.nanos();
      return queue.size() == 0 && waitNanos(now, demand.estimate(), null) == 0
          ? Optional.of(grant(now, demand, 1, null))
          : Optional.empty();
    }
  }

  public Status status() {
    synchronized (regulator) {
      return new Status(flow.inFlight(), flow.window(), queue.size(), backingOff, retries);
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

  /** Grants to those who may go, in order; called under the lock. */
  void dispatch(long now, List<Signal> woken) {
    for (Waiter head = queue.peek(now); head != null; head = queue.peek(now)) {
      long wait = waitNanos(now, head.demand.estimate(), head.kept);
      if (wait > 0) {
        watch(head, wait == FlowControl.UNTIL_ANSWERED ? Time.NEVER : now + wait, woken);
        return;
      }
      queue.grant(head);
      head.permit = grant(now, head.demand, head.attempt, head.kept);
      woken.add(head.signal);
    }
  }

  void observe(Permit permit, ResponseFacts facts) {
    synchronized (regulator) {
      flow.observe(time.nanos(), permit.ticket, facts);
    }
  }

  Decision settle(Permit permit, Outcome outcome, Cost used) {
    Decision decision;
    List<Signal> woken;
    synchronized (regulator) {
      if (permit.ended) {
        return new Decision.Done();
      }
      permit.ended = true;
      long now = time.nanos();
      regulator.ended();
      decision = flow.settle(now, permit.ticket, outcome, used);
      if (decision instanceof Decision.Again) {
        retries++;
      }
      woken = regulator.dispatch(now);
    }
    woken.forEach(Signal::send);
    return decision;
  }

  private Permit acquire(Demand demand, int attempt, FlowControl.@Nullable Ticket kept)
      throws InterruptedException {
    var waiter =
        new Waiter(demand, attempt, time.nanos(), time.signal("a permit of " + name), kept);
    synchronized (regulator) {
      queue.add(waiter);
    }
    try {
      while (true) {
        List<Signal> woken = List.of();
        Permit granted;
        long until;
        synchronized (regulator) {
          if (waiter.permit == null) {
            woken = regulator.dispatch(time.nanos());
          }
          granted = waiter.permit;
          until = Math.min(waiter.wakeAt, demand.deadlineNanos());
        }
        woken.forEach(Signal::send);
        if (granted != null) {
          return granted;
        }
        if (time.nanos() >= demand.deadlineNanos()) {
          throw new DeadlinePassedException(
              "the deadline passed while a request waited for " + name);
        }
        waiter.signal.await(until);
      }
    } catch (InterruptedException | DeadlinePassedException gaveUp) {
      abandon(waiter);
      throw gaveUp;
    }
  }

  /** Makes the first of the queue the one who looks again, and wakes it if it must look earlier. */
  private void watch(Waiter head, long at, List<Signal> woken) {
    if (!head.equals(watcher)) {
      if (watcher != null) {
        watcher.wakeAt = Time.NEVER;
      }
      watcher = head;
      woken.add(head.signal);
    } else if (at < head.wakeAt) {
      woken.add(head.signal);
    }
    head.wakeAt = at;
  }

  private long waitNanos(long now, Cost cost, FlowControl.@Nullable Ticket kept) {
    long shared = regulator.sharedWait(now);
    if (shared == FlowControl.UNTIL_ANSWERED || kept != null) {
      return shared;
    }
    return Math.max(shared, flow.waitNanos(now, cost));
  }

  private Permit grant(long now, Demand demand, int attempt, FlowControl.@Nullable Ticket kept) {
    regulator.started(now);
    return new Permit(
        this,
        kept == null
            ? flow.send(now, demand.estimate(), attempt)
            : flow.sendAgain(now, kept, demand.estimate()));
  }

  /** A waiter that was cancelled leaves no trace, even if its permit had just been granted. */
  private void abandon(Waiter waiter) {
    List<Signal> woken;
    synchronized (regulator) {
      if (waiter.permit != null) {
        waiter.permit.ended = true;
        regulator.ended();
        flow.settle(time.nanos(), waiter.permit.ticket, new Outcome.Nothing(), Cost.ONE_REQUEST);
      } else {
        queue.remove(waiter);
        if (waiter.kept != null) {
          flow.abandon(waiter.kept);
        }
      }
      woken = regulator.dispatch(time.nanos());
    }
    woken.forEach(Signal::send);
  }

  /** Waits for the next attempt; gives back the place in the window, if the flow keeps it. */
  private FlowControl.@Nullable Ticket backOff(Permit permit, Duration after, Demand demand)
      throws InterruptedException {
    boolean keeps;
    synchronized (regulator) {
      keeps = flow.keepsPlace(permit.ticket);
      backingOff++;
    }
    FlowControl.Ticket kept = keeps ? permit.ticket : null;
    long until = time.after(after);
    try {
      if (until >= demand.deadlineNanos()) {
        time.sleepUntil(demand.deadlineNanos());
        throw new DeadlinePassedException(
            "the deadline passed while a request waited to ask %s again".formatted(name));
      }
      time.sleepUntil(until);
      return kept;
    } catch (InterruptedException | DeadlinePassedException gaveUp) {
      if (kept != null) {
        synchronized (regulator) {
          flow.abandon(kept);
        }
      }
      throw gaveUp;
    } finally {
      synchronized (regulator) {
        backingOff--;
      }
    }
  }
}

package dev.weir.model;

import dev.weir.limits.Call;
import dev.weir.limits.CutOff;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.StoppedException;
import dev.weir.model.CallEvent.Cause;
import dev.weir.model.CallEvent.Result;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the events of one call, and brings them to the listener in order: each attempt that is sent
 * ends once, and nothing follows the end of the call.
 *
 * <p>An attempt that is abandoned may run on for a moment as a task of its own, so two tasks may
 * have something to report: the lock decides what happened first. The task that finds nothing being
 * delivered delivers, also what the other adds meanwhile. Thread-safe.
 */
final class CallEvents {

  private final Time time;
  private final ModelCall call;
  private final CallListener listener;

  // All guarded by this.
  private final Deque<CallEvent> pending = new ArrayDeque<>(4);
  private boolean isDelivering;
  // The number of the attempt in flight; 0 if none is.
  private int inFlight;
  private int sent;
  // When the last event was.
  private long since;
  private boolean hasEnded;

  CallEvents(Time time, ModelCall call, CallListener listener) {
    this.time = time;
    this.call = call;
    this.listener = listener;
  }

  void queued() {
    synchronized (this) {
      since = time.nanos();
      pending.add(new CallEvent.Queued(call, since));
    }
    deliver();
  }

  /**
   * @return false if the attempt must not be sent: it begins only now that it is no longer waited
   *     for
   */
  boolean sent(int attempt) {
    synchronized (this) {
      if (hasEnded || attempt <= sent) {
        return false;
      }
      long now = time.nanos();
      pending.add(new CallEvent.Sent(call, now, attempt, Duration.ofNanos(now - since)));
      inFlight = attempt;
      sent = attempt;
      since = now;
    }
    deliver();
    return true;
  }

  void answered(int attempt, Response response) {
    if (response instanceof Response.Cancelled) {
      abandoned(attempt, Cause.CANCELLED);
      return;
    }
    synchronized (this) {
      if (attempt != inFlight) {
        return;
      }
      long now = time.nanos();
      var took = Duration.ofNanos(now - since);
      pending.add(new CallEvent.Answered(call, now, attempt, took, response));
      inFlight = 0;
      since = now;
    }
    deliver();
  }

  void abandoned(int attempt, Cause cause) {
    synchronized (this) {
      if (inFlight == 0 || attempt != inFlight) {
        return;
      }
      abandon(cause);
    }
    deliver();
  }

  void ended(Call<Response> result) {
    end(
        result.value() instanceof Response.Reply ? Result.ANSWERED : Result.FAILED,
        Cause.CANCELLED,
        result.times(),
        Optional.of(result.value()));
  }

  void ended(Throwable by) {
    Call.Times times = by instanceof CutOff cut ? cut.times() : Call.Times.NONE;
    switch (by) {
      case DeadlinePassedException _ -> end(Result.DEADLINE, Cause.DEADLINE, times);
      case StoppedException _ -> end(Result.STOPPED, Cause.STOPPED, times);
      case InterruptedException _ -> end(Result.CANCELLED, Cause.CANCELLED, times);
      default -> end(Result.DEFECT, Cause.DEFECT, times);
    }
  }

  private void end(Result result, Cause cause, Call.Times times) {
    end(result, cause, times, Optional.empty());
  }

  private void end(Result result, Cause cause, Call.Times times, Optional<Response> response) {
    synchronized (this) {
      if (hasEnded) {
        return;
      }
      hasEnded = true;
      if (inFlight > 0) {
        abandon(cause);
      }
      pending.add(new CallEvent.Ended(call, time.nanos(), result, sent, times, response));
    }
    deliver();
  }

  /** Called under the lock. */
  private void abandon(Cause cause) {
    long now = time.nanos();
    var took = Duration.ofNanos(now - since);
    pending.add(new CallEvent.Abandoned(call, now, inFlight, took, cause));
    inFlight = 0;
    since = now;
  }

  private void deliver() {
    for (CallEvent next = first(); next != null; next = next()) {
      notify(next);
    }
  }

  /**
   * A listener that fails must not fail a call, nor keep later events from others: its failure, an
   * error included, goes where uncaught ones go.
   */
  private void notify(CallEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException | Error failure) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }
  }

  private synchronized @Nullable CallEvent first() {
    if (isDelivering || pending.isEmpty()) {
      return null;
    }
    isDelivering = true;
    return pending.removeFirst();
  }

  private synchronized @Nullable CallEvent next() {
    CallEvent next = pending.pollFirst();
    isDelivering = next != null;
    return next;
  }
}

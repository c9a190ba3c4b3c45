package dev.weir.limits;

import dev.weir.limits.Waiter.Place;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One request: queue, permit, attempt, and again if need be. Belongs to the task that makes it. */
final class CallLoop<T> {

  private static final Outcome SILENT = new Outcome.Transient(Outcome.Contact.SILENT);

  private final Lane lane;
  private final Time time;
  private final RetryBounds bounds;
  private final Demand demand;
  private final Attempt<T> attempt;
  // Guarded by the regulator.
  private final FailureRecord failures;
  private final List<Duration> abandonedAfter = new ArrayList<>(0);

  CallLoop(
      Lane lane, RetryBounds bounds, Demand demand, Attempt<T> attempt, FailureRecord failures) {
    this.lane = lane;
    this.time = lane.time;
    this.bounds = bounds;
    this.demand =
        bounds
            .timeout()
            .map(timeout -> demand.until(Math.min(demand.deadlineNanos(), time.after(timeout))))
            .orElse(demand);
    this.attempt = attempt;
    this.failures = failures;
  }

  Call<T> run() throws InterruptedException {
    var times = new Stopwatch(time);
    try {
      return run(times);
    } catch (InterruptedException takenBack) {
      throw times.interrupted(takenBack);
    } catch (DeadlinePassedException late) {
      throw times.late(late);
    } catch (StoppedException stopped) {
      throw times.stopped(stopped);
    }
  }

  private Call<T> run(Stopwatch times) throws InterruptedException {
    Place kept = null;
    Demand asked = demand;
    while (true) {
      Permit permit = lane.acquire(asked, false, kept);
      times.granted(permit.pacedNanos);
      permit.failures = failures;
      Attempt.Result<T> result;
      Outcome outcome;
      Decision decision;
      try (permit) {
        result = makeAttempt(permit);
        outcome = result == null ? SILENT : result.outcome();
        decision = permit.settle(outcome, result == null ? Cost.ONE_REQUEST : result.used());
      }
      times.ended();
      switch (decision) {
        case Decision.Done() -> {
          return times.call(required(result, ""), Optional.empty(), abandonedAfter, false);
        }
        case Decision.GiveUp(String reason) -> {
          return times.call(
              required(result, reason), Optional.of(reason), abandonedAfter, failures.isPoisoned());
        }
        case Decision.Again(Duration after) -> {
          times.failed();
          asked = permit.spared ? asked.with(Demand.Standing.RETRY) : asked.again();
          kept = lane.backOff(permit, outcome, after);
          times.backedOff();
        }
      }
    }
  }

  /** An attempt that was interrupted left nothing that could be returned. */
  private Attempt.Result<T> required(Attempt.@Nullable Result<T> result, String reason) {
    if (result == null) {
      throw new DeadlinePassedException(
          "an attempt at %s took longer than its timeout, and %s".formatted(lane.name(), reason));
    }
    return result;
  }

  /**
   * @return nothing if it took longer than an attempt may, and left no value
   */
  private Attempt.@Nullable Result<T> makeAttempt(Permit permit) throws InterruptedException {
    return switch (bounds.attemptTimeout()) {
      case AttemptTimeout.Off() -> makeAttempt(permit, Optional.empty());
      case AttemptTimeout.After(Duration timeout) -> makeAttempt(permit, Optional.of(timeout));
      case AttemptTimeout.Auto() -> makeWatchedAttempt(permit);
    };
  }

  private Attempt.@Nullable Result<T> makeAttempt(Permit permit, Optional<Duration> timeout)
      throws InterruptedException {
    long attemptEnd = timeout.map(time::after).orElse(Time.NEVER);
    long until = Math.min(attemptEnd, demand.deadlineNanos());
    if (until == Time.NEVER) {
      return attempt.run(permit);
    }
    // A task of its own: only that can be interrupted while the request itself goes on.
    var abandoned = new AtomicBoolean();
    Task<Attempt.@Nullable Result<T>> task =
        time.start("attempt at " + lane.name(), () -> unlessAbandoned(permit, abandoned));
    boolean ended = false;
    try {
      ended = task.join(until);
      if (ended) {
        return task.join();
      }
      requireInTime();
      timeout.ifPresent(attempt::timedOut);
      return null;
    } catch (TaskFailedException failed) {
      throw unwrapped(failed);
    } finally {
      if (!ended) {
        abandoned.set(true);
        task.cancel();
      }
    }
  }

  /** An attempt that is abandoned when it is silent for longer than answers take. */
  private Attempt.@Nullable Result<T> makeWatchedAttempt(Permit permit)
      throws InterruptedException {
    Hangs.Flight flight = lane.watchForHang(permit, abandonedAfter);
    var abandoned = new AtomicBoolean();
    var ended = new AtomicBoolean();
    Task<Attempt.@Nullable Result<T>> task =
        time.start(
            "attempt at " + lane.name(),
            () -> {
              try {
                return unlessAbandoned(permit, abandoned);
              } finally {
                ended.set(true);
                flight.signal.send();
              }
            });
    try {
      while (!ended.get()) {
        long hangsAt = lane.hangsAt(permit, flight);
        if (time.nanos() >= hangsAt) {
          return abandon(permit, flight);
        }
        requireInTime();
        flight.signal.await(Math.min(hangsAt, demand.deadlineNanos()));
      }
      return task.join();
    } catch (TaskFailedException failed) {
      throw unwrapped(failed);
    } catch (InterruptedException takenBack) {
      // It ends as it would if it were not a task of its own: before its caller.
      task.cancel();
      task.join(Time.NEVER);
      throw takenBack;
    } finally {
      if (!ended.get()) {
        abandoned.set(true);
        task.cancel();
      }
    }
  }

  private Attempt.@Nullable Result<T> abandon(Permit permit, Hangs.Flight flight) {
    Duration after = lane.abandon(permit, flight);
    abandonedAfter.add(after);
    return attempt
        .abandoned(after)
        .map(value -> new Attempt.Result<>(SILENT, Cost.ONE_REQUEST, value))
        .orElse(null);
  }

  private void requireInTime() {
    if (time.nanos() >= demand.deadlineNanos()) {
      throw new DeadlinePassedException(
          "the deadline passed while %s was answering".formatted(lane.name()));
    }
  }

  /** What an interrupted attempt makes of its interruption does not matter any more. */
  private Attempt.@Nullable Result<T> unlessAbandoned(Permit permit, AtomicBoolean abandoned)
      throws InterruptedException {
    try {
      return attempt.run(permit);
    } catch (RuntimeException failure) {
      if (abandoned.get()) {
        return null;
      }
      throw failure;
    }
  }

  /** As if the attempt had been made by the caller itself. */
  private static RuntimeException unwrapped(TaskFailedException failed) {
    return switch (failed.getCause()) {
      case RuntimeException cause -> cause;
      case Error cause -> throw cause;
      case null, default -> failed;
    };
  }
}

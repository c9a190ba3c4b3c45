package dev.weir.time;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A value that comes once, or a failure in its place, and any number of tasks that wait for it.
 *
 * <p>Built from {@link Signal} alone. It carries the results of tasks, and it is what single
 * flights and latches are made of.
 *
 * <p>Thread-safe.
 */
public final class Completion<T extends @Nullable Object> {

  private final Time time;
  private final String what;

  // Guarded by this: an outcome and the waiters it must wake belong together.
  private @Nullable Outcome<T> outcome;
  private final List<Signal> waiters = new ArrayList<>();

  /**
   * @param what what its waiters wait for, for people: {@code "the end of task sample-7"}
   */
  public Completion(Time time, String what) {
    this.time = time;
    this.what = what;
  }

  /** Gives the value; false if there already was an outcome. */
  public boolean complete(T value) {
    return settle(new Outcome.Value<>(value));
  }

  /** Gives a failure instead of a value; false if there already was an outcome. */
  public boolean fail(Throwable failure) {
    return settle(new Outcome.Failure<>(failure));
  }

  /** Runs {@code work} and takes its result, or whatever it throws, as the outcome. */
  public void completeWith(Work<? extends T> work) {
    try {
      complete(work.run());
    } catch (Throwable thrown) {
      // Not swallowed: whoever joins gets it, errors included.
      fail(thrown);
    }
  }

  public synchronized boolean isDone() {
    return outcome != null;
  }

  /**
   * Waits for the outcome and returns the value.
   *
   * @throws CancellationException if the failure is an interruption or a cancellation
   * @throws TaskFailedException for every other failure, with that as its cause
   */
  public T await() throws InterruptedException {
    while (!await(Time.NEVER)) {
      // The end of time is not a reason to stop waiting.
    }
    return switch (outcome()) {
      case Outcome.Value<T>(T value) -> value;
      case Outcome.Failure<T>(Throwable failure) -> throw rethrown(failure);
    };
  }

  /**
   * The value, without waiting; a failure is thrown as it was given.
   *
   * @throws IllegalStateException if there is no outcome yet
   */
  public T outcomeOrThrow() throws Exception {
    return switch (outcome()) {
      case Outcome.Value<T>(T value) -> value;
      case Outcome.Failure<T>(Exception failure) -> throw failure;
      case Outcome.Failure<T>(Error failure) -> throw failure;
      case Outcome.Failure<T>(Throwable failure) -> throw new TaskFailedException(what, failure);
    };
  }

  /** The failure as it was given, a cancellation too; empty for a value or no outcome yet. */
  public synchronized Optional<Throwable> failure() {
    return outcome instanceof Outcome.Failure<T>(Throwable failure)
        ? Optional.of(failure)
        : Optional.empty();
  }

  /** Whether the failure means that somebody wanted an end, and not that something went wrong. */
  public boolean isCancelled() {
    return failure().filter(Completion::isCancellation).isPresent();
  }

  /** Waits for the outcome, at most until the deadline; says whether it has come. */
  public boolean await(long deadlineNanos) throws InterruptedException {
    Signal settled = time.signal(what);
    synchronized (this) {
      if (outcome != null) {
        return true;
      }
      waiters.add(settled);
    }
    try {
      return settled.await(deadlineNanos);
    } finally {
      synchronized (this) {
        waiters.remove(settled);
      }
    }
  }

  private boolean settle(Outcome<T> result) {
    List<Signal> woken;
    synchronized (this) {
      if (outcome != null) {
        return false;
      }
      outcome = result;
      woken = List.copyOf(waiters);
    }
    woken.forEach(Signal::send);
    return true;
  }

  private synchronized Outcome<T> outcome() {
    if (outcome == null) {
      throw new IllegalStateException("cannot read " + what + ": it has not come");
    }
    return outcome;
  }

  private RuntimeException rethrown(Throwable failure) {
    if (isCancellation(failure)) {
      var cancelled = new CancellationException(what + " was cancelled");
      cancelled.initCause(failure);
      return cancelled;
    }
    return new TaskFailedException(what, failure);
  }

  private static boolean isCancellation(Throwable failure) {
    return failure instanceof InterruptedException || failure instanceof CancellationException;
  }

  private sealed interface Outcome<T extends @Nullable Object> {

    record Value<T extends @Nullable Object>(T value) implements Outcome<T> {}

    record Failure<T extends @Nullable Object>(Throwable failure) implements Outcome<T> {}
  }
}

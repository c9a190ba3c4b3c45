package dev.weir.time.virtual;

import dev.weir.time.Completion;
import dev.weir.time.Task;
import dev.weir.time.Work;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A task on virtual time. Its fields belong to the holder of the baton unless they say otherwise.
 */
final class VirtualTask<T extends @Nullable Object> implements Task<T> {

  static final int NOT_QUEUED = -1;

  // Kept by WakeQueue.
  long wakeAt;
  long wakeSequence;
  int queueIndex = NOT_QUEUED;

  String waitingFor = "its start";

  private final VirtualTime time;
  private final long number;
  private final String name;
  private final Completion<T> end;
  private final Thread thread;
  private boolean begun;
  private boolean interruptPending;
  // Volatile: the hand-over itself. Written by the giver, cleared by the taker.
  private volatile boolean hasBaton;
  // Volatile: also written by the driver when it gives the run up.
  private volatile boolean abandoned;

  VirtualTask(VirtualTime time, long number, String name, Work<T> work) {
    this.time = time;
    this.number = number;
    this.name = name;
    this.end = new Completion<>(time, "the end of task " + name);
    this.thread = Thread.ofVirtual().name(name).unstarted(() -> body(work));
  }

  private void body(Work<T> work) {
    hasBaton = false;
    try {
      if (interruptPending) {
        interruptPending = false;
        thread.interrupt();
      }
      if (!abandoned) {
        end.completeWith(work);
      }
    } catch (AbandonedError unwound) {
      // The run has failed and says why; there is nobody left to tell.
    } finally {
      time.ended(this);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public T join() throws InterruptedException {
    return end.await();
  }

  @Override
  public boolean join(long deadlineNanos) throws InterruptedException {
    return end.await(deadlineNanos);
  }

  @Override
  public boolean isDone() {
    return end.isDone();
  }

  @Override
  public void cancel() {
    time.current("cancel a task");
    interrupt();
  }

  /** The result, for the driver after the run: a failure is thrown as it was. */
  T result() throws Exception {
    return end.outcomeOrThrow();
  }

  void interrupt() {
    if (end.isDone()) {
      return;
    }
    if (isCurrentThread()) {
      thread.interrupt();
      return;
    }
    // Not by Thread.interrupt: a parked thread would wake without the baton.
    interruptPending = true;
    if (begun) {
      time.wake(this);
    }
  }

  void throwIfInterrupted() throws InterruptedException {
    boolean cancelled = interruptPending;
    interruptPending = false;
    if (Thread.interrupted() || cancelled) {
      throw new InterruptedException("task " + name + " was cancelled");
    }
  }

  boolean isCurrentThread() {
    return Thread.currentThread().equals(thread);
  }

  boolean isBlockedAtMonitor() {
    return thread.getState() == Thread.State.BLOCKED;
  }

  StackTraceElement[] stackTrace() {
    return thread.getStackTrace();
  }

  /** Called by the giver of the baton, as its last act. */
  void takeBaton() {
    hasBaton = true;
    if (begun) {
      LockSupport.unpark(thread);
    } else {
      begun = true;
      thread.start();
    }
  }

  /** Called by a task that gives the baton to itself. */
  void keepBaton() {
    hasBaton = true;
  }

  void awaitBaton() {
    while (!hasBaton) {
      LockSupport.park(time);
      if (!hasBaton && Thread.interrupted()) {
        // Interrupted by a foreign thread: remembered until this task may run.
        interruptPending = true;
      }
    }
    hasBaton = false;
  }

  void abandon() {
    abandoned = true;
  }

  /** Lets the task unwind in parallel with others; only when the run has failed. */
  void abandonNow() {
    abandoned = true;
    hasBaton = true;
    LockSupport.unpark(thread);
  }

  void throwIfAbandoned() {
    if (abandoned) {
      throw new AbandonedError(name);
    }
  }

  @Override
  public String toString() {
    return "task " + number + " (" + name + ")";
  }

  /** Unwinds a task of a run that has failed; the run reports why. */
  static final class AbandonedError extends Error {

    private static final long serialVersionUID = 1L;

    AbandonedError(String name) {
      super("task " + name + " was abandoned: its run failed", null, false, false);
    }
  }
}

package dev.weir.time.virtual;

import dev.weir.time.Completion;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Work;
import java.util.List;
import java.util.Optional;
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
  private boolean waiting;
  private boolean interruptPending;
  private int abandonedWaits;
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
      end.completeWith(
          () -> {
            throwIfAbandoned();
            return work.run();
          });
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
    lookIfDone();
    try {
      return end.await();
    } catch (TaskFailedException thrown) {
      time.observed(this);
      throw thrown;
    }
  }

  @Override
  public boolean join(long deadlineNanos) throws InterruptedException {
    lookIfDone();
    return end.await(deadlineNanos);
  }

  /** A join that returns at once is checked like one that waits: next time it may have to. */
  private void lookIfDone() {
    if (end.isDone()) {
      time.lookAtCaller("the end of task " + name);
    }
  }

  @Override
  public boolean isDone() {
    return end.isDone();
  }

  @Override
  public void cancel() {
    if (!end.isDone()) {
      time.cancel(this);
    }
  }

  /** The result, for the driver after the run: a failure is thrown as it was. */
  T result() throws Exception {
    return end.outcomeOrThrow();
  }

  /** What the work threw, as it was, if it has. */
  @Nullable Throwable failure() {
    return end.failure().orElse(null);
  }

  /** As {@link #failure()}, without cancellations: these need no witness. */
  Optional<Throwable> failureToObserve() {
    return end.isCancelled() ? Optional.empty() : end.failure();
  }

  /** Only for a task that is alive, and by the holder of the baton. */
  void interrupt() {
    if (begun && !waiting) {
      // It is the holder of the baton.
      thread.interrupt();
      return;
    }
    // Not by Thread.interrupt: a parked thread would wake without the baton.
    interruptPending = true;
    if (waiting) {
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

  /** Where this task, which has the baton, stands still; null if it does not. For the driver. */
  StuckWatch.@Nullable Sighting standingStill(long handOvers) {
    Thread.State state = thread.getState();
    return switch (state) {
      case NEW, RUNNABLE, TERMINATED -> null;
      case BLOCKED, WAITING, TIMED_WAITING -> {
        List<StackTraceElement> stack = List.of(thread.getStackTrace());
        yield stack.isEmpty() || stack.stream().anyMatch(VirtualTask::isWaitForBaton)
            ? null
            : new StuckWatch.Sighting(this, handOvers, state, stack);
      }
    };
  }

  private static boolean isWaitForBaton(StackTraceElement frame) {
    return frame.getMethodName().equals("awaitBaton")
        && frame.getClassName().equals(VirtualTask.class.getName());
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

  /** From now until it has the baton again, the task can be woken. */
  void beginWaiting(String what) {
    waitingFor = what;
    waiting = true;
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
    waiting = false;
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
      if (++abandonedWaits > time.limits().abandonedWaits()) {
        time.giveUpOn(this);
      }
      throw new AbandonedError(name);
    }
  }

  /** Stops for good a thread that nothing else can stop. */
  static void parkForEver() {
    while (true) {
      LockSupport.park();
      // Cleared: with the flag set, parking would return at once.
      Thread.interrupted();
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

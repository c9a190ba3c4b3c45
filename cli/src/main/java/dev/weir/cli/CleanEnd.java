package dev.weir.cli;

import dev.weir.time.Completion;
import dev.weir.time.Shutdown;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What becomes of a task when the process is asked to end.
 *
 * <pre>
 *   Ctrl+C          the task is cancelled; who runs it tells what came of that, and ends the process
 *   Ctrl+C again    the process ends at once: what is finished is in the log
 *   a termination   as Ctrl+C, but Java ends the process, once this is closed
 *   System.exit     by code of a task: the same, but it is told, and the exit code is 1
 * </pre>
 *
 * <p>To be closed when all is told. Thread-safe.
 */
final class CleanEnd implements AutoCloseable {

  /**
   * More than a run with ten thousand open samples takes to end: a whole log is worth waiting for,
   * and who does not want to interrupts once more.
   */
  private static final Duration LAST_WORDS = Duration.ofSeconds(10);

  /** When all is done, and is only to be told. */
  private static final Duration TO_TELL = Duration.ofSeconds(2);

  /** What is told of code that calls {@link System#exit}. */
  static final String EXIT_CALLED =
      "weir: the code of a task called System.exit; tasks, solvers, scorers and tools throw an"
          + " exception instead.";

  /** A process has one end, whoever looks after it. */
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final Time time;
  private final Task<?> running;
  private final Completion<Boolean> told;
  private final AtomicLong deadline = new AtomicLong(Time.NEVER);
  private final Shutdown termination;
  private final Interrupts interrupts;
  private volatile boolean isComplete;

  private CleanEnd(Time time, Task<?> running, Interrupts.GoesOn goesOn) {
    this.time = time;
    this.running = running;
    this.told = new Completion<>(time, "the report of " + running);
    OPEN.incrementAndGet();
    this.termination = Shutdown.onRequest(this::endProcess);
    this.interrupts = Interrupts.handled(this::isEnded, goesOn);
  }

  /**
   * @param goesOn what is told to whoever ends it at once
   */
  static CleanEnd of(Time time, Task<?> running, Interrupts.GoesOn goesOn) {
    return new CleanEnd(time, running, goesOn);
  }

  /** Whether somebody looks after the end of the process. */
  static boolean isLookedAfter() {
    return OPEN.get() > 0;
  }

  /** All that was to be done is done; it is still to be told. */
  void complete() {
    isComplete = true;
  }

  /**
   * Code that calls {@link System#exit} must not end the process as if all had gone well. That call
   * does not return: a run leaves the sample behind that made it, and ends as with Ctrl+C.
   */
  private void endProcess() {
    if (Shutdown.isBySignal()) {
      isEnded();
      return;
    }
    boolean wasDone = running.isDone();
    deadline.compareAndSet(Time.NEVER, time.after(wasDone ? TO_TELL : LAST_WORDS));
    isEnded();
    System.err.println(
        EXIT_CALLED
            + (wasDone || isComplete
                ? " All samples had ended before, and the log is whole."
                : " The run ends unfinished: its log has what was finished, and `weir eval-retry"
                    + " LOG` goes on with it (`weir log list` shows it)."));
    Runtime.getRuntime().halt(ExitCode.FAILED);
  }

  /** False if the task did not end when it was told to. */
  private boolean isEnded() {
    running.cancel();
    // Whoever asks again waits no longer than the first.
    deadline.compareAndSet(Time.NEVER, time.after(LAST_WORDS));
    try {
      return told.await(deadline.get());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    told.complete(true);
    interrupts.close();
    termination.close();
    OPEN.decrementAndGet();
  }
}

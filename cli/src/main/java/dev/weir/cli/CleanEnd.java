package dev.weir.cli;

import dev.weir.log.LogFiles;
import dev.weir.time.Completion;
import dev.weir.time.Shutdown;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What becomes of a task when the process is asked to end.
 *
 * <pre>
 *   Ctrl+C          the task is cancelled; who runs it tells what came of that, and ends the process
 *   Ctrl+C again    the process ends at once: what is finished is in the log
 *   no sign of life the same, after a while: a whole log is worth waiting for, but not for ever
 *   a termination   as Ctrl+C, but Java ends the process, once this is closed
 *   System.exit     by code of a task: the same, but it is told, and the exit code is 1
 * </pre>
 *
 * <p>To be closed when all is told. Thread-safe.
 */
final class CleanEnd implements AutoCloseable {

  /** When all is done, and is only to be told. */
  private static final Duration TO_TELL = Duration.ofSeconds(2);

  /** What is told of code that calls {@link System#exit}. */
  static final String EXIT_CALLED =
      "weir: the code of a task called System.exit; tasks, solvers, scorers and tools throw an"
          + " exception instead.";

  /** A process has one end, whoever looks after it. */
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final Task<?> running;
  private final Completion<Boolean> told;
  private final Patience patience;
  private final Shutdown termination;
  private final Interrupts interrupts;
  private volatile boolean isComplete;

  private CleanEnd(Time time, Task<?> running, Resumption resumption) {
    this.running = running;
    this.told = new Completion<>(time, "the report of " + running);
    this.patience = new Patience(time, LogFiles::bytesWrittenHere, Interrupts::tellWritten);
    OPEN.incrementAndGet();
    this.interrupts = Interrupts.handled(() -> isEnded(Patience.WITHOUT_A_WRITE), resumption);
    this.termination = Shutdown.onRequest(this::endProcess);
  }

  /**
   * @param resumption how it is resumed if it is ended at once
   */
  static CleanEnd of(Time time, Task<?> running, Resumption resumption) {
    return new CleanEnd(time, running, resumption);
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
      if (!isEnded(Patience.WITHOUT_A_WRITE)) {
        interrupts.sayGivenUp();
      }
      return;
    }
    boolean wasDone = running.isDone();
    var _ = isEnded(wasDone ? TO_TELL : Patience.WITHOUT_A_WRITE);
    System.err.println(
        EXIT_CALLED
            + (wasDone || isComplete
                ? " All samples had ended before, and the log is whole."
                : " The run ends unfinished: its log has what was finished, and `weir eval-retry"
                    + " LOG` resumes it (`weir log list` shows it)."));
    Runtime.getRuntime().halt(ExitCode.FAILED);
  }

  /** False if the task did not end when it was told to. */
  private boolean isEnded(Duration atFirst) {
    running.cancel();
    try {
      return patience.awaits(told, atFirst);
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

package dev.weir.eval;

import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.run.RunProgress;
import dev.weir.eval.run.RunTrace;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A run, and those that go on with it at once when it fails. Each has a log of its own; what they
 * say is said by the last. Thread-safe; runs once.
 */
final class RepeatedRun {

  private final int attempts;
  private final Making making;
  private final UnaryOperator<Retried> keeping;
  private final Consumer<String> warn;
  private volatile LoggedRun current;
  private volatile boolean cancelled;

  /** Makes a run. */
  @FunctionalInterface
  interface Making {

    /**
     * @param attempt 0 for the first
     */
    LoggedRun run(int attempt, Optional<Retried> retried);
  }

  /**
   * @param attempts how often it is gone on with
   * @param retried what the first goes on with
   * @param keeping what is kept of a log
   */
  RepeatedRun(
      int attempts,
      Optional<Retried> retried,
      Making making,
      UnaryOperator<Retried> keeping,
      Consumer<String> warn) {
    this.attempts = attempts;
    this.making = making;
    this.keeping = keeping;
    this.warn = warn;
    this.current = making.run(0, retried);
  }

  void run() {
    current.run();
    for (int attempt = 1; attempt <= attempts && mayGoOn(current.finished()); attempt++) {
      RunResult failed = current.finished().result();
      if (!goOn(
          attempt,
          "%s on %s failed (%s); attempt %d of %d resumes it"
              .formatted(
                  failed.start().task(),
                  failed.start().model(),
                  failed.error().orElse("no reason is known"),
                  attempt,
                  attempts))) {
        return;
      }
    }
    int damaged = current.damagedBefore();
    // Once: a disk that damages what was just written would damage the next log, too.
    if (damaged > 0 && mayGoOn(current.finished())) {
      goOn(
          attempts + 1,
          "%s: %d samples that were to be reused are damaged; they are run now, in another log that resumes this one"
              .formatted(current.finished().file().orElseThrow(), damaged));
    }
  }

  /** False if that cannot be. */
  private boolean goOn(int attempt, String told) {
    try {
      Retried old = keeping.apply(Retrying.read(current.finished().file().orElseThrow()));
      warn.accept(told);
      LoggedRun next = making.run(attempt, Optional.of(old));
      next.pause(current.pause());
      current = next;
    } catch (ConfigurationException unreadable) {
      warn.accept("it cannot be resumed: " + unreadable.getMessage());
      return false;
    }
    if (cancelled) {
      current.cancel();
    }
    current.run();
    return true;
  }

  /**
   * What was refused for good would be refused again, a provider that is unreachable has been
   * waited for long enough, and what was cancelled is not wanted.
   */
  private boolean mayGoOn(FinishedRun finished) {
    return !cancelled
        && !current.hasOutage()
        && finished.result().status() == RunResult.Status.ERROR
        && finished.refusal().isEmpty()
        && finished.notWritten().isEmpty()
        && finished.file().isPresent();
  }

  /** The one that runs now, or ran last. */
  LoggedRun current() {
    return current;
  }

  void cancel() {
    cancelled = true;
    current.cancel();
  }

  void windowMoved(String scope, RunTrace.WindowMove move) {
    current.windowMoved(scope, move);
  }

  Optional<String> keptFrom() {
    return current.keptFrom();
  }

  Set<String> askedRoles() {
    return current.askedRoles();
  }

  RunProgress progress() {
    return current.progress();
  }

  FinishedRun finished() {
    return current.finished();
  }
}

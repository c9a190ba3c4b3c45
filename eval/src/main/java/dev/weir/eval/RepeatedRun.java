package dev.weir.eval;

import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.run.RunProgress;
import dev.weir.log.LimitChange;
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
      FinishedRun failed = current.finished();
      RunResult result = failed.result();
      try {
        Retried old = keeping.apply(Retrying.read(failed.file().orElseThrow()));
        warn.accept(
            "%s on %s failed (%s); attempt %d of %d goes on with it"
                .formatted(
                    result.start().task(),
                    result.start().model(),
                    result.error().orElse("no reason is known"),
                    attempt,
                    attempts));
        LoggedRun next = making.run(attempt, Optional.of(old));
        next.pause(current.pause());
        current = next;
      } catch (ConfigurationException unreadable) {
        warn.accept("it cannot be gone on with: " + unreadable.getMessage());
        return;
      }
      if (cancelled) {
        current.cancel();
      }
      current.run();
    }
  }

  /** What was refused for good would be refused again, and what was cancelled is not wanted. */
  private boolean mayGoOn(FinishedRun finished) {
    return !cancelled
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

  void limitChanged(LimitChange change) {
    current.limitChanged(change);
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

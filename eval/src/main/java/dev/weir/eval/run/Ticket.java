package dev.weir.eval.run;

import dev.weir.log.SampleFailure;
import dev.weir.time.Task;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One repetition of a sample that is to be run, or run again.
 *
 * <pre>
 *   SOLVING ──> SCORING ──> ENDED
 *      │           └── to end it early, as an error
 *      └── to end it early: scored as it stands, or as an error
 * </pre>
 */
final class Ticket {

  private enum Phase {
    SOLVING,
    SCORING,
    ENDED
  }

  final int index;
  final int epoch;
  final List<SampleFailure> errors;
  // Set before the task is cancelled: whatever it throws then is no failure.
  volatile boolean cancelled;

  private final AtomicBoolean recorded = new AtomicBoolean();

  // Set under the lock of the run, with which it is opened.
  private @Nullable Task<?> task;
  private long openedAt;

  // Guarded by this: the sample that sees an early end finds its interrupt, too.
  private Phase phase = Phase.SOLVING;
  private @Nullable EarlyEnd earlyEnd;

  Ticket(int index, int epoch, List<SampleFailure> errors) {
    this.index = index;
    this.epoch = epoch;
    this.errors = errors;
  }

  /** True for the first who asks: one record is made of it, whoever makes it. */
  boolean isMineToRecord() {
    return recorded.compareAndSet(false, true);
  }

  void opened(Task<?> by, long now) {
    task = by;
    openedAt = now;
  }

  /** The task of a sample that is open. */
  Task<?> started() {
    return Objects.requireNonNull(task);
  }

  long openedAt() {
    return openedAt;
  }

  /** Ends what it does; false if it is too late for that. */
  synchronized boolean endEarly(EarlyEnd wanted) {
    boolean isInTime = phase == Phase.SOLVING || (phase == Phase.SCORING && wanted.asError());
    if (!isInTime || earlyEnd != null) {
      return false;
    }
    earlyEnd = wanted;
    started().cancel();
    return true;
  }

  synchronized Optional<EarlyEnd> earlyEnd() {
    return Optional.ofNullable(earlyEnd);
  }

  synchronized boolean isScoring() {
    return phase == Phase.SCORING;
  }

  /** Solvers have ended, perhaps early. */
  synchronized Optional<EarlyEnd> beginScoring() {
    phase = Phase.SCORING;
    return earlyEnd();
  }

  /** From now on nothing can be changed. */
  synchronized Optional<EarlyEnd> end() {
    phase = Phase.ENDED;
    return earlyEnd();
  }
}

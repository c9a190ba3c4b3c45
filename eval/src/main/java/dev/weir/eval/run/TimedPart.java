package dev.weir.eval.run;

import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/** Work that is interrupted when it takes too long. Used once. */
final class TimedPart<T> {

  /** Work that does not end when it is interrupted is given up. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final Duration LAST_MOMENT = Duration.ofSeconds(1);

  private final Time time;
  private final SampleMeter meter;
  private final LimitScope scope;
  private final String name;
  private final Work<T> work;

  TimedPart(Time time, SampleMeter meter, LimitScope scope, String name, Work<T> work) {
    this.time = time;
    this.meter = meter;
    this.scope = scope;
    this.name = name;
    this.work = work;
  }

  T run() throws Exception {
    Task<T> part = time.start(name, work);
    try {
      while (!part.join(meter.nextLook(scope))) {
        Optional<SampleLimitExceededException> over = meter.overtime(scope);
        if (over.isPresent()) {
          end(part);
          throw over.get();
        }
      }
    } catch (InterruptedException cancelled) {
      part.cancel();
      // It may still write to the state that is about to be recorded.
      part.join(time.after(LAST_MOMENT));
      throw cancelled;
    }
    return result(part);
  }

  private void end(Task<T> part) throws InterruptedException {
    part.cancel();
    if (!part.join(time.after(GRACE))) {
      throw new IllegalStateException(
          "the time is up, but the solver did not end within %s s of being interrupted"
              .formatted(GRACE.toSeconds()));
    }
    try {
      // What it threw when it was interrupted is of no interest, but must not be left unobserved.
      part.join();
    } catch (CancellationException | TaskFailedException ended) {
      // As it should.
    }
  }

  private static <T> T result(Task<T> part) throws Exception {
    try {
      return part.join();
    } catch (CancellationException interrupted) {
      throw new InterruptedException("the part was interrupted");
    } catch (TaskFailedException failed) {
      switch (failed.getCause()) {
        case Exception thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case null, default -> throw failed;
      }
    }
  }
}

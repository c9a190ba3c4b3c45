package dev.weir.time;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one source of clock readings, waits, concurrent work and unseeded randomness.
 *
 * <p>There are two implementations: {@link #system()}, and {@link
 * dev.weir.time.virtual.VirtualTime}. Interruption, cancellation, signals and joins behave the same
 * in both when tasks use them; one contract test runs against each. They differ for threads that
 * are not tasks: on virtual time those may read the clock and cancel, but not wait, start or send.
 *
 * <p>Never wait through this seam (sleep, await, join) while holding a monitor or a lock: on
 * virtual time the next task that wants it would stop the whole run. Virtual time checks monitors
 * where it can, and ends a run that is stuck.
 *
 * <p>A failure that no {@link Task#join()} has thrown is not dropped silently: on virtual time the
 * run fails with it; on the system's clock an {@link Error} always goes to the thread's uncaught
 * exception handler as well, while an exception is kept for {@link Task#join()} alone.
 *
 * <p>Thread-safe.
 */
public interface Time {

  /** A deadline that never comes. */
  long NEVER = Long.MAX_VALUE;

  /** The system's clock, on virtual threads. */
  static Time system() {
    return SystemTime.INSTANCE;
  }

  /**
   * Nanoseconds since an arbitrary origin: never negative, never going back. For intervals and
   * deadlines.
   */
  long nanos();

  /** Wall time, for people and for absolute times of other systems. May jump. */
  Instant instant();

  /**
   * Waits until {@link #nanos()} has reached {@code deadlineNanos}; returns at once if it has.
   *
   * @throws InterruptedException if the task is cancelled before or during the wait
   */
  void sleepUntil(long deadlineNanos) throws InterruptedException;

  /** Waits for {@code duration}; zero or less returns at once. */
  default void sleep(Duration duration) throws InterruptedException {
    sleepUntil(after(duration));
  }

  /** The deadline {@code duration} from now; {@link #NEVER} if that is out of range. */
  default long after(Duration duration) {
    long now = nanos();
    try {
      return Math.addExact(now, duration.toNanos());
    } catch (ArithmeticException tooFar) {
      return duration.isNegative() ? now : NEVER;
    }
  }

  /**
   * Starts {@code work} as a task of its own. Its body always begins, even when the task is
   * cancelled at once: it then begins interrupted.
   *
   * @param name who it is, for people: thread names, deadlock reports
   */
  <T extends @Nullable Object> Task<T> start(String name, Work<T> work);

  /** As {@link #start(String, Work)}, for work without a result. */
  default Task<@Nullable Void> start(String name, Action action) {
    return start(name, action.asWork());
  }

  /**
   * A new signal, not sent.
   *
   * @param waitingFor what its waiter waits for, for people: {@code "a permit of openai/gpt-4o"}
   */
  Signal signal(String waitingFor);

  /**
   * A seed nobody chose: from the system's entropy in earnest, from the run's own seed on virtual
   * time. For ids and for seeding generators when the user gave no seed.
   */
  long freshSeed();
}

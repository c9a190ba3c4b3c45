package dev.weir.model;

import dev.weir.limits.Call;
import java.time.Duration;
import java.util.Optional;

/**
 * Something that happened to a call to a model.
 *
 * <pre>
 *   Queued ──> Sent ──> Answered ──┬──> Ended
 *     │         ^  └──> Abandoned ─┤
 *     │         └── next attempt ──┘
 *     └────────────────────────────────> Ended, if nothing was sent
 * </pre>
 *
 * <p>An attempt is in flight at the engine from {@link Sent} to {@link Answered} or {@link
 * Abandoned}, whichever comes; a call has at most one in flight. Each call is queued once and ends
 * once, however it ends. Answers from a cache are no calls: nothing was asked. What happens to the
 * limits themselves is a {@link dev.weir.limits.event.LimitEvent}.
 */
public sealed interface CallEvent {

  ModelCall call();

  /** When it happened, on the clock of {@link dev.weir.time.Time#nanos()}. */
  long nanos();

  /** The call is made, and waits for its turn. */
  record Queued(ModelCall call, long nanos) implements CallEvent {}

  /**
   * An attempt leaves for the engine.
   *
   * @param attempt its number within the call, from 1
   * @param waited since the call was queued, or since the attempt before
   */
  record Sent(ModelCall call, long nanos, int attempt, Duration waited) implements CallEvent {}

  /**
   * The attempt in flight is over: the engine answered or refused it, or it could not be reached.
   *
   * @param took since it was sent
   */
  record Answered(ModelCall call, long nanos, int attempt, Duration took, Response response)
      implements CallEvent {}

  /**
   * The attempt in flight is over without a response, because it is no longer waited for. The
   * engine may still work on it, and bill it.
   *
   * @param took since it was sent
   */
  record Abandoned(ModelCall call, long nanos, int attempt, Duration took, Cause cause)
      implements CallEvent {}

  /**
   * The call is over.
   *
   * @param attempts how many were sent
   * @param times where the time went; {@link Call.Times#NONE} if it is not known
   * @param response what the caller got; absent if the call ended without
   */
  record Ended(
      ModelCall call,
      long nanos,
      Result result,
      int attempts,
      Call.Times times,
      Optional<Response> response)
      implements CallEvent {}

  /** Why an attempt is no longer waited for. */
  enum Cause {
    /** The caller took the call back. */
    CANCELLED,
    /** It was silent for longer than answers take. */
    HUNG,
    /** It took longer than an attempt may. */
    TIMED_OUT,
    /** The deadline of the call passed. */
    DEADLINE,
    /** The account or the model was stopped. */
    STOPPED,
    /** The adapter threw an exception, which is a defect of it. */
    DEFECT
  }

  /** How a call ends. */
  enum Result {
    /** With a reply. */
    ANSWERED,
    /** With a failure. */
    FAILED,
    /** The caller took it back. */
    CANCELLED,
    /** Its deadline passed. */
    DEADLINE,
    /** The account or the model was stopped. */
    STOPPED,
    /** With an exception, which is a defect. */
    DEFECT
  }
}

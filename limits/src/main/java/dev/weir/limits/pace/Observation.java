package dev.weir.limits.pace;

import dev.weir.limits.header.ResponseFacts;

/**
 * Something that happened in a scope: all that its decisions depend on.
 *
 * <p>Times are nanoseconds on one clock, from any origin, and never run backwards. A request has an
 * id from {@link Sent} to its end, which the caller gives and does not use twice; where several
 * processes share a scope, whoever brings their observations together keeps the ids apart. An end
 * of a request that is not under way is ignored, and so is the second of two.
 */
public sealed interface Observation {

  /** When. */
  long at();

  /** A request of this cost wants to leave. Said each time it is asked whether it may. */
  record Waiting(long at, Cost cost) implements Observation {}

  /** It has left. */
  record Sent(long at, long id, Cost cost) implements Observation {}

  /** The headers of an answer have arrived; the answer itself may still be under way. */
  record Headers(long at, long id, ResponseFacts facts) implements Observation {}

  /**
   * It was answered.
   *
   * @param used what it really cost
   */
  record Answered(long at, long id, Cost used) implements Observation {}

  /** A limit refused it. */
  record Refused(long at, long id, ResponseFacts facts) implements Observation {}

  /** The provider is full although its limits are kept. */
  record Overloaded(long at, long id, ResponseFacts facts) implements Observation {}

  /** A fault of the provider or of the network. It is taken to have used no tokens. */
  record Failed(long at, long id) implements Observation {}

  /** It never left, though it was told so: what it would have used is free again. */
  record Unsent(long at, long id) implements Observation {}

  /**
   * It ended and says nothing: it was cancelled on its way, or its process is gone. The provider
   * may have counted it in full, so nothing is given back: that costs a little time, and too much
   * given back costs refusals. The next header puts an advertised quota right.
   */
  record Cancelled(long at, long id) implements Observation {}

  /**
   * The user has changed the bounds. What is under way stays so, even if it is now too much. A rate
   * per minute that was not stated before restarts the pace there.
   */
  record Retuned(long at, PaceSettings settings) implements Observation {}
}

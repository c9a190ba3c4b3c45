package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.pace.Cost;
import org.jspecify.annotations.Nullable;

/**
 * A place on the path of a request at which it is counted and may be stopped: all calls, an engine,
 * an account, a family, a model. Guarded by the lock of its regulator.
 */
final class Scope {

  static final int UNBOUNDED = Integer.MAX_VALUE;

  final String name;

  /** What a request waits for that finds it full. */
  final Constraint whenFull;

  private int bound = UNBOUNDED;
  private int inFlight;
  // Learns and decides; only the model's scope has one, or the family's where quota is pooled.
  private @Nullable FlowControl flow;
  // Written under the lock; read without by those who have just been granted a permit.
  private volatile @Nullable String stopped;
  // Written before the reason.
  private boolean isOutage;
  // Whether anything has ever been heard from the provider.
  private boolean isReached;

  Scope(String name) {
    this(name, Constraint.WINDOW);
  }

  Scope(String name, Constraint whenFull) {
    this.name = name;
    this.whenFull = whenFull;
  }

  void boundTo(int newBound) {
    bound = newBound;
  }

  boolean isBounded() {
    return bound != UNBOUNDED;
  }

  void regulateBy(@Nullable FlowControl newFlow) {
    flow = newFlow;
  }

  @Nullable FlowControl flow() {
    return flow;
  }

  /** Drops what its flow has to tell. */
  void forgetEvents() {
    if (flow != null) {
      flow.drainEvents();
    }
  }

  int inFlight() {
    return inFlight;
  }

  void started() {
    inFlight++;
  }

  void ended() {
    inFlight--;
  }

  /** For a request that comes although the scope is stopped. */
  StoppedException stoppedException() {
    return new StoppedException(name, String.valueOf(stopped), isOutage);
  }

  boolean isReached() {
    return isReached;
  }

  void reach() {
    isReached = true;
  }

  boolean hasOutage() {
    return isStopped() && isOutage;
  }

  boolean isStopped() {
    return stopped != null;
  }

  /**
   * @param outage whether the provider has not refused, but does not answer
   */
  void stop(String reason, boolean outage) {
    isOutage = outage;
    stopped = reason;
  }

  void resume() {
    stopped = null;
  }

  boolean isFull() {
    return inFlight >= bound;
  }

  /** Nanoseconds until a request of this cost may pass; 0 for at once. */
  long waitNanos(long now, Cost cost) {
    if (isFull()) {
      return FlowControl.UNTIL_ANSWERED;
    }
    if (flow == null) {
      return 0;
    }
    return withEarlierCalls(flow, flow.waitNanos(now, cost));
  }

  /** Calls that left under an earlier mode are still out, and the new flow does not know them. */
  private long withEarlierCalls(FlowControl by, long wait) {
    return wait == 0 && inFlight >= by.window() ? FlowControl.UNTIL_ANSWERED : wait;
  }

  /** As {@link #waitNanos}, for somebody who only wants to know. */
  long outlookNanos(long now, Cost cost) {
    if (isFull()) {
      return FlowControl.UNTIL_ANSWERED;
    }
    return flow == null ? 0 : withEarlierCalls(flow, flow.outlookNanos(now, cost));
  }
}

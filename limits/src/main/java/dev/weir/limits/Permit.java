package dev.weir.limits;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Time;
import org.jspecify.annotations.Nullable;

/**
 * The right to have one request in flight.
 *
 * <p>{@link #observe} when headers arrive, {@link #settle} at the end; a bare {@link #close} means
 * that the request was cancelled. Ending it twice does no harm. One that is never ended, because
 * its owner died, is taken back when its lease has run out. Thread-safe.
 */
public final class Permit implements AutoCloseable {

  final Lane lane;
  final Demand demand;
  final FlowControl flow;
  final FlowControl.Ticket ticket;
  // Whether its owner has a loop of its own, and may die.
  final boolean leased;

  // Guarded by the lane's regulator.
  boolean ended;
  // Its failure does not count against the request.
  boolean spared;
  // Of its request, if a call loop makes it.
  @Nullable FailureRecord failures;
  // Where a hang is watched for.
  Hangs.@Nullable Flight flight;
  // Whether a part of the answer has arrived: the attempt may be slow, but it does not hang.
  volatile boolean isAnswering;
  // The part of the wait for it that pacing took; set before its owner sees it.
  long pacedNanos;
  // When it was granted; only known until the provider is reached.
  long sentAt;
  long leaseEndsAt = Time.NEVER;
  @Nullable Permit olderLease;
  @Nullable Permit newerLease;

  Permit(Lane lane, Demand demand, FlowControl flow, FlowControl.Ticket ticket, boolean leased) {
    this.lane = lane;
    this.demand = demand;
    this.flow = flow;
    this.ticket = ticket;
    this.leased = leased;
  }

  /**
   * What an answer says about limits, as early as it is known. What a refusal says belongs to its
   * {@link Outcome}: given here, it would count as the header of an answer.
   */
  public void observe(ResponseFacts facts) {
    isAnswering = true;
    lane.observe(this, facts);
  }

  /** A part of the answer has arrived. From now on the attempt does not hang. */
  public void answering() {
    isAnswering = true;
  }

  /**
   * Ends the attempt.
   *
   * @param used what it really cost
   * @return whether it is worth another attempt, and when
   */
  public Decision settle(Outcome outcome, Cost used) {
    return lane.settle(this, outcome, used);
  }

  @Override
  public void close() {
    lane.cancel(this);
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.Phase;
import dev.weir.limits.pace.PaceState.RateState;

/**
 * Paces one limit that nobody advertises, at a rate learned from refusals.
 *
 * <p>Two refusals with work between them measure the limit, and every further one measures it
 * again: {@link Evidence} holds what was sent and refused, {@link LearnedRate} what follows for the
 * rate, {@link Drought} what to do when there is none. Here is when the next request leaves.
 *
 * <p>Refusals of requests that were sent before the last correction belong to the same episode: the
 * correction could not have prevented them.
 */
final class HiddenRate {

  private boolean active;
  private boolean suspended;
  private double nextAt;
  private int episodes;
  private final Evidence evidence;
  private final LearnedRate learned;
  private Drought drought;

  /**
   * @param startRate units a second to begin with
   * @param active whether it paces from the start, or only after a refusal names its dimension
   */
  HiddenRate(double startRate, boolean active, double now) {
    this.active = active;
    this.nextAt = now;
    this.evidence = new Evidence();
    this.learned = new LearnedRate(startRate, evidence);
    this.drought = new Drought();
  }

  HiddenRate(RateState state) {
    this.active = state.active();
    this.suspended = state.suspended();
    this.nextAt = state.nextAt();
    this.episodes = state.episodes();
    this.evidence = new Evidence(state.evidence());
    this.learned = new LearnedRate(state.learned(), evidence);
    this.drought = new Drought(state.drought());
  }

  RateState state() {
    return new RateState(
        active, suspended, nextAt, episodes, evidence.state(), learned.state(), drought.state());
  }

  /**
   * Begins at a rate that somebody states or remembers, as if it had been measured. If it was
   * learning before, that was about another limit.
   */
  void startAt(double knownRate, double now) {
    active = true;
    suspended = false;
    nextAt = Math.min(nextAt, now);
    evidence.forgetMark();
    drought = new Drought();
    learned.startAt(knownRate, now);
  }

  boolean isActive() {
    return active;
  }

  /** Stops pacing without forgetting: another limit has been found to bind. */
  void suspend() {
    suspended = active || suspended;
    active = false;
  }

  int episodes() {
    return episodes;
  }

  /** The measured rate; 0 if there is none. */
  double confirmed() {
    return learned.confirmed();
  }

  /** Whether refusals have said something about it, and it is what binds. */
  boolean isObserved() {
    return active && episodes > 0;
  }

  /** The last rate that refusals measured, if it is what binds; 0 if there is none. */
  double lastConfirmed() {
    return isObserved() ? learned.lastConfirmed() : 0;
  }

  double rate() {
    return learned.rate();
  }

  /** A rate that is known to be allowed, from an advertised limit: no need to ramp up to it. */
  void atLeast(double knownRate) {
    if (episodes == 0) {
      learned.atLeast(knownRate);
    }
  }

  Slice.Gate gate(Dimension dimension) {
    return new Slice.Gate(Constraint.PACE, dimension, nextAt, rate());
  }

  /** Seconds until the next unit may leave. */
  double waitSeconds(double now) {
    return active ? Math.max(0, nextAt - now) : 0;
  }

  /**
   * @return how much had been sent before this request: its place, if it is refused
   */
  double send(double now, double cost) {
    learned.sent(now, cost, evidence.isEmpty());
    double before = evidence.sent(now, cost);
    if (active) {
      double current = rate();
      evidence.paced(now, current);
      nextAt = Math.max(nextAt, now - 0.5 * cost / current) + cost / current;
      if (learned.phase() == Phase.DROUGHT) {
        drought.asked(now);
        nextAt = now + Drought.REFUSED_BY_NOW_SECONDS;
      }
    }
    return before;
  }

  /** Gives back what was reserved and not used. */
  void refund(double amount) {
    evidence.refund(amount);
    if (active && learned.phase() != Phase.RAMP) {
      nextAt -= amount / learned.baseRate();
    }
  }

  /** Takes back what has consumed nothing, and its turn unless there was a correction since. */
  void unsend(double now, double sentAt, double cost) {
    evidence.unsend(sentAt, cost);
    if (!active || sentAt < learned.correctedAt()) {
      return;
    }
    if (learned.phase() == Phase.DROUGHT) {
      if (drought.unasked(sentAt)) {
        nextAt = now;
      }
      return;
    }
    learned.unsend(cost);
    nextAt -= cost / rate();
  }

  /** What happened while the provider was away says nothing about the limit. */
  void forgetInterval(double now) {
    if (evidence.mark() != null) {
      evidence.mark(now, evidence.sentUnits());
      learned.restartGrowth();
    }
  }

  /**
   * Lets time pass.
   *
   * @param binding whether the next request waits for a pace, or for nothing
   * @param otherWait seconds that it waits for all else
   */
  void tick(double now, boolean binding, double otherWait) {
    if (!active) {
      return;
    }
    if (learned.phase() == Phase.DROUGHT) {
      if (drought.isOver(now)) {
        learned.climbFrom(drought.end(now, evidence), now);
        evidence.forgetMark();
        nextAt = now;
      }
      return;
    }
    double wait = waitSeconds(now);
    if (learned.tick(now, binding, wait > 0 && wait >= otherWait)) {
      nextAt = Math.min(nextAt, now);
    }
  }

  /**
   * Takes in a refusal.
   *
   * @param sentAt when the refused request was sent
   * @param sentBefore its place, as {@link #send} returned it
   * @return whether it opens a new episode: it was sent after the last correction
   */
  boolean refused(double now, double sentAt, double sentBefore, double cost) {
    boolean neverPaced = !active && !suspended;
    if (suspended) {
      resume();
    }
    active = true;
    evidence.refused(sentAt, cost);
    if (sentAt < learned.correctedAt()) {
      learned.refusedAgain();
      evidence.markIfLater(sentAt, sentBefore);
      return false;
    }
    episodes++;
    evidence.assumeUnit(cost);
    double current = neverPaced ? Double.POSITIVE_INFINITY : rate();
    double pause;
    if (learned.phase() == Phase.DROUGHT || drought.begins(evidence, sentAt, sentBefore, current)) {
      learned.dry(now);
      pause = drought.goesOn();
    } else {
      pause = learned.refused(now, sentAt, sentBefore, cost, current);
    }
    evidence.mark(sentAt, sentBefore);
    nextAt = now + pause;
    return true;
  }

  /** What was sent meanwhile was not paced, so it says nothing about the rate that was. */
  private void resume() {
    suspended = false;
    evidence.forgetMark();
    learned.resume();
  }
}

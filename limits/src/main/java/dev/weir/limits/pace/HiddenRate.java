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

  /** With so many on their way behind it, a refusal is not the only one if there is a limit. */
  private static final double SUSPICIOUS_UNITS = 5;

  private static final double SUSPICION = 2;

  private boolean active;
  private boolean suspended;
  private double nextAt;
  private int episodes;

  /** Stated by the user: never more, whatever is learned or advertised. */
  private double ceiling = Double.POSITIVE_INFINITY;

  /** A refusal that may be a stray one: when it was sent, and until when others would show. */
  private double suspectedAt = Double.NaN;

  private double suspectedUntil;
  private final Strays strays;
  private final Evidence evidence;
  private final LearnedRate learned;
  private Drought drought;
  private int excused;

  /**
   * @param startRate units a second to begin with
   * @param active whether it paces from the start, or only after a refusal names its dimension
   */
  HiddenRate(double startRate, boolean active, double now) {
    this.active = active;
    this.nextAt = now;
    this.strays = new Strays();
    this.evidence = new Evidence();
    this.learned = new LearnedRate(startRate, evidence);
    this.drought = new Drought();
  }

  HiddenRate(RateState state) {
    this.active = state.active();
    this.suspended = state.suspended();
    this.nextAt = state.nextAt();
    this.episodes = state.episodes();
    this.ceiling = state.ceiling();
    this.suspectedAt = state.suspectedAt();
    this.suspectedUntil = state.suspectedUntil();
    this.strays = new Strays(state.strays());
    this.evidence = new Evidence(state.evidence());
    this.learned = new LearnedRate(state.learned(), evidence);
    this.drought = new Drought(state.drought());
  }

  RateState state() {
    return new RateState(
        active,
        suspended,
        nextAt,
        episodes,
        ceiling,
        suspectedAt,
        suspectedUntil,
        strays.state(),
        evidence.state(),
        learned.state(),
        drought.state());
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

  /** Bounds the rate for good; infinite for no bound. */
  void limitTo(double most) {
    ceiling = most;
  }

  /** How long an answer takes. */
  void roundTrip(double seconds) {
    learned.roundTrip(seconds);
  }

  /** Whether it says when the next request may leave. */
  boolean isActive() {
    return active || ceiling < Double.POSITIVE_INFINITY;
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
    return active ? Math.min(learned.rate(), ceiling) : ceiling;
  }

  /** A rate that is known to be allowed, from an advertised limit: no need to ramp up to it. */
  void atLeast(double knownRate, double now) {
    if (episodes == 0) {
      learned.atLeast(knownRate, now);
    }
  }

  Slice.Gate gate(Dimension dimension) {
    return new Slice.Gate(Constraint.PACE, dimension, nextAt, rate());
  }

  /** Seconds until the next unit may leave. */
  double waitSeconds(double now) {
    return isActive() ? Math.max(0, nextAt - now) : 0;
  }

  /**
   * @return how much had been sent before this request: its place, if it is refused
   */
  double send(double now, double cost) {
    learned.sent(now, evidence.isEmpty());
    double before = evidence.sent(now, cost);
    if (isActive()) {
      double current = rate();
      nextAt = Math.max(nextAt, now - 0.5 * cost / current) + cost / current;
      if (active && learned.phase() == Phase.DROUGHT) {
        drought.asked(now);
        nextAt = now + Drought.REFUSED_BY_NOW_SECONDS;
      }
    }
    return before;
  }

  /** Gives back what was reserved and not used. */
  void refund(double now, double amount) {
    evidence.refund(now, amount);
    if (active && learned.phase() != Phase.RAMP) {
      nextAt -= amount / learned.baseRate();
    }
  }

  /** Takes back what has consumed nothing, and its turn unless there was a correction since. */
  void unsend(double now, double sentAt, double cost) {
    evidence.unsend(sentAt, cost);
    boolean corrected =
        sentAt < learned.correctedAt() || (sentAt == learned.correctedAt() && episodes > 0);
    if (!active || corrected) {
      return;
    }
    if (learned.phase() == Phase.DROUGHT) {
      if (drought.unasked(sentAt)) {
        nextAt = now;
      }
      return;
    }
    nextAt -= cost / rate();
  }

  /** What happened while the provider was away says nothing about the limit. */
  void forgetInterval(double now) {
    if (evidence.mark() != null) {
      evidence.markFull(now);
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
    if (!Double.isNaN(suspectedAt) && now > suspectedUntil) {
      // No other followed: the limit is not what refused it.
      suspectedAt = Double.NaN;
      strays.found(evidence.sentUnits() / evidence.unitOrOne());
      excused++;
    }
    if (!active) {
      return;
    }
    if (learned.phase() == Phase.DROUGHT) {
      if (drought.isOver(now)) {
        learned.resumeAt(drought.end(now, evidence), now);
        evidence.markFull(now);
        nextAt = now;
      }
      return;
    }
    double wait = waitSeconds(now);
    boolean bound = wait > 0 && wait >= otherWait && learned.rate() <= ceiling;
    if (learned.tick(now, binding && learned.rate() <= ceiling, bound)) {
      nextAt = Math.min(nextAt, now);
    }
  }

  /**
   * Takes in a refusal.
   *
   * @param sentAt when the refused request was sent
   * @param sentBefore its place, as {@link #send} returned it
   * @param believed the rate that a believed source states; 0 if there is none
   * @param barren whether nothing has been let through for some attempts
   * @return whether it opens a new episode: it was sent after the last correction
   */
  boolean refused(
      double now, double sentAt, double sentBefore, double cost, double believed, boolean barren) {
    boolean neverPaced = !active && !suspended;
    if (suspended) {
      resume(now);
    }
    active = true;
    evidence.refused(sentAt, cost);
    if (!neverPaced && excuses(now, sentAt, sentBefore)) {
      return false;
    }
    if (sentAt < learned.correctedAt()) {
      nextAt = Math.max(nextAt, now + learned.refusedAgain(now, sentAt));
      return false;
    }
    episodes++;
    evidence.assumeUnit(cost);
    double current = neverPaced ? Double.POSITIVE_INFINITY : rate();
    double pause;
    if (learned.phase() == Phase.DROUGHT || drought.begins(evidence, sentAt, sentBefore, barren)) {
      learned.dry(now);
      pause = drought.goesOn();
    } else {
      pause = learned.refused(now, sentAt, sentBefore, cost, current, believed);
    }
    evidence.mark(sentAt, sentBefore);
    nextAt = now + pause;
    return true;
  }

  /** Whether a refusal says nothing about the limit, or not yet. */
  private boolean excuses(double now, double sentAt, double sentBefore) {
    if (!Double.isNaN(suspectedAt)) {
      if (sentAt <= suspectedAt) {
        return true;
      }
      suspectedAt = Double.NaN;
    } else if (episodes == 0
        && learned.phase() == Phase.RAMP
        && evidence.totals().upTo(now) - evidence.totals().upTo(sentAt)
            >= SUSPICIOUS_UNITS * evidence.unitOrOne()) {
      suspectedAt = sentAt;
      suspectedUntil = now + SUSPICION * Math.max(now - sentAt, 0.1);
      nextAt = Math.max(nextAt, suspectedUntil);
      return true;
    }
    double units = strays.unitsSince(sentBefore) / evidence.unitOrOne();
    if (sentAt >= learned.correctedAt() && strays.include(units, learned.isBelowMeasured())) {
      strays.found(units);
      excused++;
      return true;
    }
    return false;
  }

  /** How many refusals have turned out to be strays since it was last asked. */
  int drainExcused() {
    int drained = excused;
    excused = 0;
    return drained;
  }

  /** What was sent meanwhile was not paced, so it says nothing about the rate that was. */
  private void resume(double now) {
    suspended = false;
    evidence.forgetMark();
    learned.resume(now);
  }

  @Override
  public String toString() {
    return (active ? "" : "inactive ") + learned;
  }
}

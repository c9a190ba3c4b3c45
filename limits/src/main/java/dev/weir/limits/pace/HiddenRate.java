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
 * rate, {@link HiddenWindow} what to do when there is none. Here is when the next request leaves.
 *
 * <p>Refusals of requests that were sent before the last correction belong to the same episode: the
 * correction could not have prevented them.
 */
final class HiddenRate {

  /** With so many on their way behind it, a refusal is not the only one if there is a limit. */
  private static final double SUSPICIOUS_UNITS = 5;

  private static final double SUSPICION = 1.2;

  /** So many that follow a refusal say whether it was the only one. */
  private static final double JUDGED_UNITS = 12;

  /**
   * So many of them, and such a share of all that was sent meanwhile, mean that there is a limit.
   */
  private static final int REAL_REFUSALS = 3;

  private static final double REAL_SHARE = 0.25;
  private static final double STRAY_SHARE = 0.08;

  /** A turn that is further away than so many units is a pause. */
  private static final double PAUSE_UNITS = 2;

  private static final double LATELY_SECONDS = 60;
  private static final double BELOW_CEILING = 0.97;

  /** Nothing waits much longer than a refusal asks for. */
  private static final double LATE = 2;

  private static final double ROUNDED_SECONDS = 1;

  private boolean active;
  private boolean suspended;
  private double nextAt;
  private int episodes;

  /** Stated by the user: never more, whatever is learned or advertised. */
  private double ceiling = Double.POSITIVE_INFINITY;

  /** A refusal that may be a stray one: when it was sent, and until when others would show. */
  private double suspectedAt = Double.NaN;

  private double suspectedUntil;
  private double suspectedBefore;
  private int suspected;
  private final Strays strays;
  private final Challenge challenge;
  private final Evidence evidence;
  private final LearnedRate learned;
  private HiddenWindow window;
  private int excused;

  /**
   * @param startRate units a second to begin with
   * @param active whether it paces from the start, or only after a refusal names its dimension
   */
  HiddenRate(double startRate, boolean active, double now) {
    this.active = active;
    this.nextAt = now;
    this.strays = new Strays();
    this.challenge = new Challenge();
    this.evidence = new Evidence();
    this.learned = new LearnedRate(startRate, evidence);
    this.window = new HiddenWindow();
  }

  HiddenRate(RateState state) {
    this.active = state.active();
    this.suspended = state.suspended();
    this.nextAt = state.nextAt();
    this.episodes = state.episodes();
    this.ceiling = state.ceiling();
    this.suspectedAt = state.suspectedAt();
    this.suspectedUntil = state.suspectedUntil();
    this.suspectedBefore = state.suspectedBefore();
    this.suspected = state.suspected();
    this.strays = new Strays(state.strays());
    this.challenge = new Challenge(state.challenge());
    this.evidence = new Evidence(state.evidence());
    this.learned = new LearnedRate(state.learned(), evidence);
    this.window = new HiddenWindow(state.window());
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
        suspectedBefore,
        suspected,
        strays.state(),
        challenge.state(),
        evidence.state(),
        learned.state(),
        window.state());
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
    challenge.forget();
    window = new HiddenWindow();
    learned.startAt(knownRate, now);
  }

  /** Begins at a rate that an earlier run measured, as far as it is trusted. */
  void recall(double rate, double measured, double now) {
    active = true;
    nextAt = Math.min(nextAt, now);
    learned.recall(rate, measured, now);
  }

  /**
   * Bounds the rate for good; infinite for no bound. It stays a little below, since requests that
   * leave at the very rate arrive a little sooner or later.
   */
  void limitTo(double most) {
    ceiling = BELOW_CEILING * most;
  }

  /** How long an answer takes. */
  void roundTrip(double seconds) {
    learned.roundTrip(seconds);
  }

  /** What was sent in the last minute and not refused. */
  double sentLately(double now) {
    return evidence.accepted(now - LATELY_SECONDS, Math.nextUp(now));
  }

  /** Whether it says when the next request may leave. */
  boolean isActive() {
    return active || ceiling < Double.POSITIVE_INFINITY;
  }

  /** Stops pacing without forgetting: another limit has been found to bind. */
  void suspend() {
    challenge.forget();
    suspended = active || suspended;
    active = false;
  }

  /** Whether requests only ask whether a window has opened. */
  boolean isDry() {
    return active && learned.phase() == Phase.DROUGHT;
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
    if (!active) {
      return ceiling;
    }
    if (learned.phase() == Phase.HARVEST) {
      return Math.min(window.rate(), ceiling);
    }
    double factor = challenge.isRunning() && !challenge.isComplete() ? Challenge.FACTOR : 1;
    return Math.min(factor * learned.rate(), ceiling);
  }

  /**
   * An advertised limit shortens the ramp.
   *
   * @param knownRate what it allows for certain; 0 if that is not known
   * @param counted whether it counts requests, and is believed
   */
  void atLeast(double knownRate, boolean counted, double now) {
    if (episodes == 0) {
      learned.atLeast(knownRate, counted, now);
    }
  }

  /**
   * Something other than refusals suggests that there is room for more.
   *
   * @param stated the rate that it states; 0 if it states none
   */
  void hint(double now, double stated) {
    if (nextAt - now > PAUSE_UNITS * evidence.unitOrOne() / learned.rate()) {
      // A refusal has just asked for a pause.
      return;
    }
    learned.hint(now, stated);
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
    challenge.sent(now);
    double before = evidence.sent(now, cost);
    if (isActive()) {
      double current = rate();
      nextAt = Math.max(nextAt, now - 0.5 * cost / current) + cost / current;
      if (active && learned.phase() == Phase.DROUGHT) {
        window.asked(now);
        nextAt = now + window.quietSeconds() + 1e-3;
      } else if (active && learned.phase() == Phase.HARVEST && window.isUsedUp(now, evidence)) {
        learned.dry(now);
        nextAt = window.usedUp(now);
      }
    }
    return before;
  }

  /** Gives back what was reserved and not used; a drought does not end with that. */
  void refund(double now, double amount) {
    evidence.refund(now, amount);
    if (active && learned.phase() != Phase.RAMP && learned.phase() != Phase.DROUGHT) {
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
      if (window.unasked(sentAt)) {
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
    if (!Double.isNaN(suspectedAt)
        && now > suspectedUntil
        && evidence.sentUnits() - suspectedBefore > JUDGED_UNITS * evidence.unitOrOne()) {
      judge(now);
    }
    if (!active) {
      return;
    }
    if (learned.phase() == Phase.DROUGHT) {
      if (window.isOver(now)) {
        window.opened(now, evidence);
        learned.harvest(now);
        nextAt = now;
      }
      return;
    }
    if (learned.phase() == Phase.HARVEST) {
      window.tick(now, evidence);
      if (window.isEndless(now)) {
        window.forgetLength();
        learned.resumeAt(window.rate(), now);
        evidence.markFull(now);
      }
      return;
    }
    if (challenge.isRunning()) {
      if (challenge.isPassed(now, window.quietSeconds())) {
        excused += challenge.passed();
        learned.climbFrom(Challenge.FACTOR * learned.baseRate(), now);
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
   * @param serverWait seconds that the refusal asks to wait; 0 if it does not say
   * @return whether it opens a new episode: it was sent after the last correction
   */
  boolean refused(
      double now,
      double sentAt,
      double sentBefore,
      double cost,
      double believed,
      double serverWait,
      boolean roomy) {
    boolean neverPaced = !active && !suspended;
    if (suspended) {
      resume(now);
    }
    active = true;
    evidence.refused(sentAt, cost);
    window.refusalTook(now - sentAt);
    if (!neverPaced && challenge.isRunning()) {
      if (!challenge.refused(sentAt)) {
        return false;
      }
      challenge.failed();
    } else if (!neverPaced && excuses(now, sentAt, sentBefore)) {
      return false;
    }
    if (sentAt < learned.correctedAt()) {
      nextAt = Math.max(nextAt, now + learned.refusedAgain(now, sentAt));
      return false;
    }
    episode(now, sentAt, sentBefore, cost, believed, serverWait, roomy, neverPaced);
    return true;
  }

  /** A refusal that something else explains: what was sent was not let through, and that is all. */
  void explained(double now, double sentAt, double cost) {
    evidence.refused(sentAt, cost);
    window.refusalTook(now - sentAt);
  }

  /** The first refusal after a correction: it corrects again. */
  private void episode(
      double now,
      double sentAt,
      double sentBefore,
      double cost,
      double believed,
      double serverWait,
      boolean roomy,
      boolean neverPaced) {
    episodes++;
    challenge.explained();
    evidence.assumeUnit(cost);
    double current = neverPaced ? Double.POSITIVE_INFINITY : rate();
    boolean dry =
        learned.phase() == Phase.DROUGHT
            || (learned.phase() == Phase.HARVEST
                ? window.ended(sentAt, evidence)
                : window.begins(
                    evidence,
                    sentAt,
                    sentBefore,
                    learned.confirmed(),
                    believed > 0 ? 0 : serverWait,
                    roomy));
    if (dry) {
      learned.dry(now);
      nextAt = window.refused(now, sentAt, serverWait);
    } else {
      double pause =
          roomy && learned.isBusy(sentAt)
              ? learned.refusedInSpite(now, sentAt, sentBefore)
              : learned.refused(now, sentAt, sentBefore, cost, current, likely(believed));
      nextAt = now + (serverWait > 0 ? asked(pause, serverWait) : pause);
    }
    evidence.mark(sentAt, sentBefore);
  }

  /** A wait in whole seconds is rounded up: what leaves a second earlier is refused for certain. */
  private static double asked(double pause, double serverWait) {
    return Math.clamp(pause, Math.max(0, serverWait - ROUNDED_SECONDS), LATE * serverWait + 1);
  }

  /** What a believed source states, or else the user. */
  private double likely(double believed) {
    return believed == 0 && ceiling < Double.POSITIVE_INFINITY ? ceiling : believed;
  }

  /** Whether a refusal says nothing about the limit, or not yet. */
  private boolean excuses(double now, double sentAt, double sentBefore) {
    double unit = evidence.unitOrOne();
    double units = strays.unitsSince(sentBefore) / unit;
    boolean corrected = sentAt < learned.correctedAt();
    boolean stray = !corrected && strays.include(units, learned.isBelowMeasured());
    if (stray) {
      strays.found(units);
      excused++;
    }
    if (!corrected && strays.mayInclude(units) && learned.isUnexplained()) {
      learned.trim(units);
      challenge.unexplained(stray);
      if (challenge.isDue()) {
        challenge.start(now);
        nextAt = Math.min(nextAt, now);
      }
      return true;
    }
    if (stray) {
      return true;
    }
    if (!Double.isNaN(suspectedAt)) {
      suspected++;
      boolean many = suspected > REAL_SHARE * ((sentBefore - suspectedBefore) / unit + 1);
      if (suspected < REAL_REFUSALS || !many) {
        return true;
      }
      suspectedAt = Double.NaN;
    } else if (isSuspicious(now, sentAt)) {
      suspectedAt = sentAt;
      suspectedBefore = sentBefore;
      suspected = 1;
      suspectedUntil = now + SUSPICION * Math.max(now - sentAt, 0.05);
      learned.stopClimbing(suspectedUntil);
      return true;
    }
    return false;
  }

  /** Whether what follows it will show that a refusal was the only one. */
  private boolean isSuspicious(double now, double sentAt) {
    double behind = evidence.totals().upTo(now) - evidence.totals().upTo(sentAt);
    return learned.phase() == Phase.RAMP
        ? !learned.isRemembered() && behind >= SUSPICIOUS_UNITS * evidence.unitOrOne()
        : strays.areKnown() && sentAt >= learned.correctedAt() && learned.isUnexplained();
  }

  /** All that was on its way with a suspected refusal has come back by now. */
  private void judge(double now) {
    double at = suspectedAt;
    suspectedAt = Double.NaN;
    double suspectedUnits = (evidence.sentUnits() - suspectedBefore) / evidence.unitOrOne();
    if (suspected <= Math.max(1, STRAY_SHARE * suspectedUnits)) {
      // Nearly all others were let through: the limit is not what refused it.
      for (int i = 0; i < suspected; i++) {
        strays.found(suspectedUnits / suspected);
      }
      excused += suspected;
    } else {
      episode(now, at, suspectedBefore, evidence.unitOrOne(), 0, 0, false, false);
    }
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
    return active
        ? learned + (challenge.isRunning() ? ", challenged, " : ", ") + window
        : "inactive";
  }
}

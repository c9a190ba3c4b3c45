package dev.weir.limits.pace;

import dev.weir.limits.pace.Evidence.Interval;
import dev.weir.limits.pace.PaceState.Burst;
import dev.weir.limits.pace.PaceState.LearnedState;
import dev.weir.limits.pace.PaceState.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What refusals say about the rate of one hidden limit.
 *
 * <pre>
 *            refusal             2nd refusal, >= 8 units, >= 0.3 s
 *   RAMP ─────────────> SEARCH ────────────────────────────────────> TRACK <──── confirming refusal: slower growth
 *                         │  ^                                        │  │
 *      < 4 units twice    │  └──────────── refused at once ───────────┘  │ below 75 % of the best confirmed rate
 *                         v                                              v
 *                       BISECT ──(6 %)──> TRACK                        TEST (1.5 s at the old rate) ──> TRACK
 * </pre>
 *
 * <ul>
 *   <li>RAMP doubles the rate each second, while the rate is what binds.
 *   <li>SEARCH pauses for about eight units, then drains the bucket at an upper bound of the refill
 *       until the second refusal.
 *   <li>BISECT is for buckets with hardly any burst ({@link Bracket}).
 *   <li>TRACK sends a little below the measured rate and grows slowly ({@link Growth}).
 *   <li>TEST tries the best rate of earlier, now and then, after the limit has dropped ({@link
 *       BestRate}).
 *   <li>DROUGHT, from any phase, is for quotas that come all at once ({@link Drought}).
 * </ul>
 *
 * <p>An interval that spans an outage or a change of the limit is not averaged.
 */
final class LearnedRate {

  /**
   * Bounds on how long a rate that was taken for far too low is kept: it may have been an error.
   */
  private static final double LONGEST_QUIET_SECONDS = 40;

  private static final double LONGEST_ROUND_SECONDS = 8;
  private static final double FIRST_CLIMB = 2;
  private static final double LATER_CLIMB = 1.5;

  private Phase phase = Phase.RAMP;
  private Burst burst = Burst.UNKNOWN;
  private double rate;
  private double climb = FIRST_CLIMB;
  private double raisedAt;
  private double provenFloor;
  private double correctedAt = Double.NEGATIVE_INFINITY;
  private int refusalsInEpisode;
  private boolean lastWasNoise;
  private int searches;
  private final Evidence evidence;
  private final Growth growth;
  private final Bracket bracket;
  private final BestRate best;

  LearnedRate(double startRate, Evidence evidence) {
    this.rate = startRate;
    this.evidence = evidence;
    this.growth = new Growth();
    this.bracket = new Bracket();
    this.best = new BestRate();
  }

  LearnedRate(LearnedState state, Evidence evidence) {
    this.phase = state.phase();
    this.burst = state.burst();
    this.rate = state.rate();
    this.climb = state.climb();
    this.raisedAt = state.raisedAt();
    this.provenFloor = state.provenFloor();
    this.correctedAt = state.correctedAt();
    this.refusalsInEpisode = state.refusalsInEpisode();
    this.lastWasNoise = state.lastWasNoise();
    this.searches = state.searches();
    this.evidence = evidence;
    this.growth = new Growth(state.growth());
    this.bracket = new Bracket(state.bracket());
    this.best = new BestRate(state.best());
  }

  LearnedState state() {
    return new LearnedState(
        phase,
        burst,
        rate,
        climb,
        raisedAt,
        provenFloor,
        correctedAt,
        refusalsInEpisode,
        lastWasNoise,
        searches,
        growth.state(),
        bracket.state(),
        best.state());
  }

  /** Begins at a known rate; what was sent until now says nothing about it. */
  void startAt(double knownRate, double now) {
    correctedAt = now;
    burst = Burst.UNKNOWN;
    best.forget();
    track(Growth.measurementFor(knownRate), 0);
  }

  Phase phase() {
    return phase;
  }

  /** The measured rate; 0 if there is none. */
  double confirmed() {
    return growth.confirmed();
  }

  /** The measured rate; else the best one of earlier; 0 if there is none. */
  double lastConfirmed() {
    return growth.confirmed() > 0 ? growth.confirmed() : best.rate();
  }

  double rate() {
    return switch (phase) {
      case TEST -> best.rate();
      case TRACK -> rate * growth.factor();
      case RAMP, SEARCH, BISECT, DROUGHT -> rate;
    };
  }

  /** The rate without the growth since it was measured. */
  double baseRate() {
    return rate;
  }

  /** When the rate was last corrected: what was sent before could not know. */
  double correctedAt() {
    return correctedAt;
  }

  void atLeast(double knownRate) {
    if (phase == Phase.RAMP) {
      rate = Math.max(rate, knownRate);
    }
  }

  void sent(double now, double cost, boolean first) {
    if (first) {
      raisedAt = now;
    }
    bracket.sent(cost);
  }

  void unsend(double cost) {
    bracket.sent(-cost);
  }

  void restartGrowth() {
    growth.restart();
  }

  /** Goes on after a time in which it did not pace. */
  void resume() {
    growth.restart();
    best.forgetTest();
  }

  /** No rate is low enough at present. */
  void dry(double now) {
    phase = Phase.DROUGHT;
    correctedAt = now;
  }

  /** Goes on after a drought as fast as before it. */
  void climbFrom(double before, double now) {
    rate = Double.isFinite(before) ? Math.max(rate, before) : rate;
    climbAgain(now);
  }

  /**
   * Lets time pass.
   *
   * @param binding whether the next request waits for a pace, or for nothing
   * @param bound whether it waits for this one, and for nothing else
   * @return whether the next request need not wait for its turn: a test begins
   */
  boolean tick(double now, boolean binding, boolean bound) {
    if (growth.tick(now, bound, evidence.unitOrOne() / rate()) && evidence.mark() != null) {
      // The bucket has overflowed: an average over the lull would be too low.
      evidence.mark(now, evidence.sentUnits());
    }
    switch (phase) {
      case RAMP -> climb(now, binding);
      case SEARCH -> {
        double quiet = Math.min(20 * evidence.unitOrOne() / rate, LONGEST_QUIET_SECONDS);
        if (now - correctedAt > Math.max(3, quiet)) {
          // Nothing was refused: a floor, not the rate. Climb again.
          provenFloor = rate;
          climbAgain(now);
        }
      }
      case BISECT -> {
        if (bracket.isProven() && now - correctedAt > 0.2) {
          bracket.accepted(rate);
          if (bisect()) {
            correctedAt = now;
          }
        }
      }
      case TRACK -> {
        if (best.isTestDue(now)) {
          phase = Phase.TEST;
          growth.restart();
          return true;
        }
        if (growth.isSpent()) {
          proven(now, rate());
        }
      }
      case TEST -> {
        if (best.isTestOver(growth.grown())) {
          // It held: the old limit is back.
          best.forgetTest();
          proven(now, best.rate());
        }
      }
      case DROUGHT -> {
        // Only an accepted request ends it.
      }
    }
    return false;
  }

  private void climb(double now, boolean binding) {
    double round = Math.max(1, Math.min(4 * evidence.unitOrOne() / rate, LONGEST_ROUND_SECONDS));
    if (binding && now - raisedAt >= round) {
      if (evidence.sentSince(now - round) >= 0.7 * rate * round - evidence.unitOrOne()) {
        provenFloor = rate;
        rate *= climb;
      }
      raisedAt = now;
    }
  }

  private void climbAgain(double now) {
    phase = Phase.RAMP;
    climb = LATER_CLIMB;
    raisedAt = now;
  }

  /** One more refusal of the same episode. */
  void refusedAgain() {
    refusalsInEpisode++;
  }

  /**
   * Learns from the first refusal of an episode.
   *
   * @param current the pace until now
   * @return seconds to pause
   */
  double refused(double now, double sentAt, double sentBefore, double cost, double current) {
    lastWasNoise = learn(now, sentAt, evidence.sinceMark(sentAt, sentBefore), cost, current);
    refusalsInEpisode = 1;
    rate = Math.max(rate, 0.02 * evidence.unit());
    correctedAt = now;
    return phase == Phase.SEARCH
        ? Math.max((burst == Burst.TINY ? 2 : 8) * evidence.unit() / rate, 0.25)
        : Math.max(1.2 * evidence.unit() / rate, 0.08);
  }

  /** Learns from the first refusal of an episode; true if it is taken for noise. */
  private boolean learn(
      double now, double sentAt, @Nullable Interval interval, double cost, double current) {
    if (phase == Phase.RAMP || interval == null) {
      endRamp(sentAt, cost, current, interval);
      return false;
    }
    switch (phase) {
      case SEARCH -> narrowSearch(current, interval);
      case BISECT -> narrowBracket(interval);
      case TEST -> {
        phase = Phase.TRACK;
        best.failed(now);
      }
      case TRACK -> {
        if (interval.seconds() < 0.6 && !lastWasNoise) {
          // Late work in flight right after a correction is not news.
          return true;
        }
        correctTrack(sentAt, current, interval);
        if (phase == Phase.TRACK && growth.confirmed() != 0) {
          best.confirmed(now, growth.confirmed(), growth.confirmedSeconds());
        }
      }
      case RAMP, DROUGHT -> throw new IllegalStateException("cannot be in " + phase + " here");
    }
    return false;
  }

  private void endRamp(double sentAt, double cost, double current, @Nullable Interval interval) {
    double unit = evidence.unit();
    double before = evidence.rateBefore(sentAt, current);
    if (burst == Burst.TINY && interval != null && interval.rate() >= 0.5 * before) {
      track(before, 5);
    } else if (interval != null && interval.accepted() >= (burst == Burst.REAL ? 8 : 20) * unit) {
      track(interval.rate(), interval.seconds());
    } else if (interval != null && burst == Burst.UNKNOWN && interval.accepted() >= 4 * unit) {
      double low = Math.min(Math.max(interval.rate(), provenFloor), 0.95 * current);
      bracket.start(low, current, interval.rate(), 0);
      bisect();
    } else {
      searches = 0;
      search(Math.min(evidence.boundOfRamp(sentAt, raisedAt, cost), current));
    }
  }

  private void narrowSearch(double current, Interval interval) {
    if (interval.accepted() >= 8 * evidence.unit() && interval.seconds() >= 0.3) {
      track(interval.rate(), interval.seconds());
    } else if (interval.accepted() < 4 * evidence.unit()
        && searches >= 1
        && burst != Burst.REAL
        && refusalsInEpisode <= 3) {
      double low = Math.max(interval.rate(), 0.25 * current);
      bracket.start(low, current, low, 0);
      bisect();
    } else {
      searches++;
      searchBelow(current, interval);
    }
  }

  private void narrowBracket(Interval interval) {
    bracket.refused(rate);
    if (interval.accepted() >= 4 * evidence.unit()) {
      bracket.atLeast(interval.rate());
    }
    if (burst == Burst.UNKNOWN
        && interval.accepted() >= 8 * evidence.unit()
        && bracket.isFirstEstimate(interval.rate())) {
      // Refused just above the first estimate: the bucket is real.
      burst = Burst.REAL;
      track(interval.rate(), interval.seconds());
    } else {
      bisect();
    }
  }

  private void correctTrack(double sentAt, double current, Interval interval) {
    double observed = interval.rate();
    double before = evidence.rateBefore(sentAt, current);
    boolean risen = current > 1.3 * rate;
    if (interval.accepted() < 8 * evidence.unit()) {
      searches = 0;
      searchBelow(current, interval);
    } else if (risen && burst == Burst.UNKNOWN) {
      double low = Math.min(Math.max(observed, rate), 0.95 * current);
      bracket.start(low, current, low, 1);
      bisect();
    } else if (risen && burst == Burst.REAL) {
      // The limit moved up: an average over the interval would mislead.
      searches = 0;
      search(Math.max(Math.min(evidence.recentRate(sentAt), current), rate));
    } else if (burst == Burst.TINY && observed < 0.8 * before) {
      // A bucket is being drained after all.
      burst = Burst.REAL;
      track(observed, interval.seconds());
    } else if (burst == Burst.TINY) {
      rate = growth.confirmAccepted(before);
    } else if (observed < 0.93 * current && burst == Burst.UNKNOWN) {
      bracket.start(observed, current, observed, 1);
      bisect();
    } else if (growth.isConfirmedBy(observed)) {
      rate = growth.confirm(observed, interval.seconds());
    } else {
      track(observed, interval.seconds());
    }
  }

  private void track(double measured, double seconds) {
    phase = Phase.TRACK;
    rate = growth.measured(measured, seconds);
  }

  /** A rate held that was not expected to: what was measured before is history. */
  private void proven(double now, double held) {
    evidence.mark(now, evidence.sentUnits());
    track(held, 0);
  }

  private void search(double upperBound) {
    phase = Phase.SEARCH;
    rate = upperBound;
    growth.forget();
  }

  private void searchBelow(double current, Interval interval) {
    double bound =
        interval.seconds() > 0.15
            ? (interval.accepted() + 2 * evidence.unit()) / interval.seconds()
            : current;
    search(Math.max(Math.min(bound, 0.9 * current), 0.5 * current));
  }

  /**
   * @return whether there is more to halve
   */
  private boolean bisect() {
    if (!bracket.isNarrow()) {
      phase = Phase.BISECT;
      rate = bracket.halve(evidence.unitOrOne());
      return true;
    }
    if (bracket.wasAnythingAccepted()) {
      burst = burst == Burst.UNKNOWN ? Burst.TINY : burst;
      track(bracket.low(), 5);
    } else {
      // Nothing in the bracket was ever accepted: it is too high.
      searches = 0;
      search(0.5 * bracket.low());
    }
    return false;
  }
}

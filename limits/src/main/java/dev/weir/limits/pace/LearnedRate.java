package dev.weir.limits.pace;

import dev.weir.limits.pace.Evidence.Interval;
import dev.weir.limits.pace.PaceState.LearnedState;
import dev.weir.limits.pace.PaceState.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What refusals say about the rate of one hidden limit.
 *
 * <pre>
 *            refusal               known well enough
 *   RAMP ─────────────> SEARCH ──────────────────────> TRACK <──── confirming refusal: slower growth
 *    ^                   │  ^                           │  │
 *    └── nothing refused ┘  └───── not known any more ──┘  │ below 75 % of the best confirmed rate
 *                                                          v
 *                                                        TEST (1.5 s at the old rate) ──> TRACK
 * </pre>
 *
 * <ul>
 *   <li>RAMP doubles the rate each second, while the rate is what binds.
 *   <li>SEARCH pauses until a few units have probably come back, then sends a little faster than
 *       the rate probably is ({@link BucketBelief}).
 *   <li>TRACK sends a little below the measured rate and grows slowly ({@link Growth}).
 *   <li>TEST tries the best rate of earlier, now and then, after the limit has dropped ({@link
 *       BestRate}).
 *   <li>DROUGHT and HARVEST, from any phase, are for quotas that come all at once ({@link
 *       HiddenWindow}).
 * </ul>
 *
 * <p>An interval that spans an outage or a change of the limit is not averaged.
 */
final class LearnedRate {

  private static final double LONGEST_ROUND_SECONDS = 8;
  private static final double SHORTEST_ROUND_SECONDS = 0.1;
  private static final double MOST_JUMP = 4;
  private static final double START_RATE = 8;
  private static final double FIRST_CLIMB = 2;
  private static final double LATER_CLIMB = 1.5;
  private static final double UNDER_WAY_UNITS = 10;
  private static final double UNDER_WAY_SHARE = 0.05;
  private static final double FIRST_DELAY_SECONDS = 0.15;

  /** How far a ramp may exceed a remembered rate, per second: few are refused if it still holds. */
  private static final double MOST_ABOVE_REMEMBERED = 20;

  /** The largest bucket that explains why more than a remembered rate was accepted. */
  private static final double REMEMBERED_BURST_SECONDS = 2;

  private static final double REMEMBERED_BURST_UNITS = 5;
  private static final double RECALLED_SECONDS = 60;

  /** A search waits until this many units have probably come back. */
  private static final double SEARCH_UNITS = 5;

  /** After so many units without a refusal, a search thinks again. */
  private static final double CHECK_UNITS = 5;

  private static final double CHECK_SECONDS = 1;
  private static final double SLOW_CHECK_SECONDS = 10;
  private static final double SEARCH_GROWTH = 1.25;
  private static final double MOST_SEARCH_GROWTH = 2;

  /** A rate is known when it lies between two this close with a probability of 80 %. */
  private static final double KNOWN = 1.35;

  /**
   * Below this many units a second a refusal is expensive, so a rougher measurement is good enough
   * and its lower end is used.
   */
  private static final double RARE = 2;

  private static final double KNOWN_IF_RARE = 1.8;
  private static final double TRACKED_IF_RARE = 0.35;

  /** What a search tries: above the middle, so that it ends. */
  private static final double TRIED = 0.65;

  /** So many units between two refusals confirm a rate that they agree with. */
  private static final double CONFIRMING_UNITS = 8;

  /** A pace that has grown by more has moved too far for an average. */
  private static final double RISEN = 1.3;

  /** No episode cuts the rate by more: what it looks like may not be what it is. */
  private static final double MOST_CUT = 10;

  /** A rate that this many units measured is not far off. */
  private static final double WELL_MEASURED = 150;

  /** A pace below this share of a measured rate has hardly grown since. */
  private static final double WELL_BELOW = 0.985;

  /** So many units between two refusals measure a rate by themselves. */
  private static final double DIRECT_UNITS = 25;

  /** Below this many units a second, jitter matters less than the size of the bucket. */
  private static final double DIRECT_RATE = 12;

  /** What is let through now is so much less than before that the limit must have changed. */
  private static final double SUSTAINED_SHARE = 0.6;

  /** A refusal among more requests than this is a price that a higher pace is worth. */
  private static final double RARE_UNITS = 400;

  private static final double BELOW_SUSTAINED = 0.95;

  /** A search that is slower than this share of the average of a minute goes faster sooner. */
  private static final double BELOW_AVERAGE = 0.7;

  private static final double LOW_CHECK_UNITS = 2;
  private static final double LOW_GROWTH = 1.5;
  private static final double MOST_OF_PACE = 0.9;

  /** After a rate was overestimated, only averages count for a while. */
  private static final double CAUTIOUS_SECONDS = 60;

  /** Trim as if a refusal came at least once in this many units. */
  private static final double TRIMMED_UNITS = 60;

  private static final double LATELY_SECONDS = 10;
  private static final double BUSY_UNITS = 10;

  private static final double ENOUGH_UNITS = 5;
  private static final double SHORTEST_LONG_PAUSE_SECONDS = 1;
  private static final double LONGEST_PAUSE_SECONDS = 20;

  /** A ramp that no request waited for in this time did not cause the refusal. */
  private static final double BOUND_SECONDS = 2;

  private static final double BELIEVED_SPAN = 20;
  private static final double LOW = 0.1;
  private static final double HIGH = 0.9;

  private Phase phase = Phase.RAMP;
  private double rate;
  private double climb = FIRST_CLIMB;
  private double raisedAt;
  private double boundAt = Double.NEGATIVE_INFINITY;
  private double climbsFrom = Double.NEGATIVE_INFINITY;
  private double correctedAt = Double.NEGATIVE_INFINITY;
  private int refusalsInEpisode;
  private boolean lastWasNoise;
  private double checkUnits;
  private int raises;
  private int barren;

  /** A rate that an earlier run measured and that was not refused yet; 0 if there is none. */
  private double remembered;

  /** Whether a header that is believed counts requests: it ends the ramp in time. */
  private boolean advertised;

  private double cautiousUntil = Double.NEGATIVE_INFINITY;
  private double roundTrip = Double.NaN;
  private final Evidence evidence;
  private final BucketBelief belief;
  private final Growth growth;
  private final BestRate best;

  LearnedRate(double startRate, Evidence evidence) {
    this.rate = startRate;
    this.evidence = evidence;
    this.belief = new BucketBelief();
    this.growth = new Growth();
    this.best = new BestRate();
  }

  LearnedRate(LearnedState state, Evidence evidence) {
    this.phase = state.phase();
    this.rate = state.rate();
    this.climb = state.climb();
    this.raisedAt = state.raisedAt();
    this.climbsFrom = state.climbsFrom();
    this.boundAt = state.boundAt();
    this.correctedAt = state.correctedAt();
    this.refusalsInEpisode = state.refusalsInEpisode();
    this.lastWasNoise = state.lastWasNoise();
    this.checkUnits = state.checkUnits();
    this.raises = state.raises();
    this.cautiousUntil = state.cautiousUntil();
    this.barren = state.barren();
    this.remembered = state.remembered();
    this.advertised = state.advertised();
    this.roundTrip = state.roundTrip();
    this.evidence = evidence;
    this.belief = new BucketBelief(state.belief());
    this.growth = new Growth(state.growth());
    this.best = new BestRate(state.best());
  }

  LearnedState state() {
    return new LearnedState(
        phase,
        rate,
        climb,
        raisedAt,
        climbsFrom,
        boundAt,
        correctedAt,
        refusalsInEpisode,
        lastWasNoise,
        checkUnits,
        raises,
        cautiousUntil,
        barren,
        remembered,
        advertised,
        roundTrip,
        belief.state(),
        growth.state(),
        best.state());
  }

  /** Begins at a known rate; what was sent until now says nothing about it. */
  void startAt(double knownRate, double now) {
    correctedAt = now;
    belief.forget();
    best.forget();
    track(Growth.measurementFor(knownRate), 0);
  }

  /**
   * Begins at a rate that an earlier run measured. It may be another one by now, so it grows until
   * it is refused; then what was remembered is taken for measured.
   */
  void recall(double rate, double measured, double now) {
    correctedAt = now;
    belief.forget();
    best.forget();
    phase = Phase.RAMP;
    this.rate = rate;
    remembered = measured;
    climb = FIRST_CLIMB;
    raisedAt = now;
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
      case TEST -> best.tried();
      case TRACK -> rate * growth.factor();
      case RAMP, SEARCH, DROUGHT, HARVEST -> rate;
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

  /**
   * @param knownRate what an advertised limit allows for certain; 0 if none does
   * @param counted whether a header that is believed counts requests
   */
  void atLeast(double knownRate, boolean counted, double now) {
    advertised = counted;
    if (phase == Phase.RAMP && knownRate > rate) {
      // What is advertised may be anything: it shortens the ramp, but what is sent leads it.
      double most = MOST_JUMP * Math.max(evidence.recentRate(now), START_RATE);
      rate = Math.max(rate, Math.min(knownRate, most));
    }
  }

  /** How long an answer takes: a ramp need not be slower than what it learns from. */
  void roundTrip(double seconds) {
    roundTrip = seconds;
  }

  void sent(double now, boolean first) {
    if (first) {
      raisedAt = now;
    }
  }

  /** A ramp goes no further until then. */
  void stopClimbing(double until) {
    climbsFrom = until;
  }

  /** See {@link HiddenRate#hint}. */
  void hint(double now, double stated) {
    if (phase == Phase.TRACK) {
      best.hint(now, rate(), stated);
    }
  }

  void restartGrowth() {
    growth.restart();
  }

  /** Goes on after a time in which it did not pace. */
  void resume(double now) {
    belief.forget();
    growth.forget();
    growth.restart();
    best.forget();
    rate = Math.max(evidence.recentRate(now), evidence.unitOrOne() / LONGEST_ROUND_SECONDS);
    climbAgain(now);
  }

  /** No rate is low enough at present. */
  void dry(double now) {
    phase = Phase.DROUGHT;
    correctedAt = now;
  }

  /** A window has opened. */
  void harvest(double now) {
    phase = Phase.HARVEST;
    correctedAt = now;
  }

  /** Resumes after a drought at the rate at which requests were let through on average. */
  void resumeAt(double average, double now) {
    correctedAt = now;
    belief.forget();
    track(average, 0);
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
      evidence.markFull(now);
    }
    switch (phase) {
      case RAMP -> {
        if (bound) {
          boundAt = now;
        }
        climb(now, binding);
      }
      case SEARCH -> {
        if (bound) {
          thinkAgain(now);
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
          proven(now, best.tried());
        }
      }
      case DROUGHT, HARVEST -> {
        // HiddenWindow says when they end.
      }
    }
    return false;
  }

  private void climb(double now, boolean binding) {
    if (remembered > 0 && !isRememberedPlausible(now)) {
      remembered = 0;
    }
    double known =
        Double.isNaN(roundTrip) ? 1 : Math.clamp(2 * roundTrip, SHORTEST_ROUND_SECONDS, 1);
    double units = remembered > 0 ? 1 : known < 1 ? 2 : 4;
    double round =
        Math.max(known, Math.min(units * evidence.unitOrOne() / rate, LONGEST_ROUND_SECONDS));
    if (binding && now >= climbsFrom && now - raisedAt >= round) {
      if (evidence.sentSince(now - round) >= 0.7 * rate * round - evidence.unitOrOne()) {
        rate = Math.max(rate, Math.min(climb * rate, mostAtFirst()));
        if (remembered > 0) {
          rate = Math.min(rate, remembered + MOST_ABOVE_REMEMBERED * evidence.unitOrOne());
        }
      }
      raisedAt = now;
    }
  }

  /**
   * How fast a first ramp may get: so that the first refusal finds only a small share of what was
   * let through on its way.
   */
  private double mostAtFirst() {
    if (climb < FIRST_CLIMB || advertised) {
      return Double.POSITIVE_INFINITY;
    }
    double delay =
        Double.isNaN(roundTrip)
            ? FIRST_DELAY_SECONDS
            : Math.clamp(0.5 * roundTrip, 0.01, FIRST_DELAY_SECONDS);
    double unit = evidence.unitOrOne();
    return (UNDER_WAY_UNITS * unit + UNDER_WAY_SHARE * evidence.sentUnits()) / delay;
  }

  /** Whether what was let through until now fits a remembered rate. */
  private boolean isRememberedPlausible(double now) {
    double seconds = now - evidence.firstSentAt() + REMEMBERED_BURST_SECONDS;
    double most = remembered * seconds + REMEMBERED_BURST_UNITS * evidence.unitOrOne();
    return evidence.isEmpty() || evidence.totals().upTo(now) <= most;
  }

  /** Whether a remembered rate says what a refusal is about. */
  boolean isRemembered() {
    return phase == Phase.RAMP && remembered > 0;
  }

  /** Nothing was refused for a while: what was let through proves a larger rate. */
  private void thinkAgain(double now) {
    PaceState.At mark = evidence.mark();
    if (mark == null) {
      return;
    }
    double from = mark.at();
    double unit = evidence.unitOrOne();
    // What was sent since may still be refused.
    double until = now - HiddenWindow.REFUSED_BY_NOW_SECONDS;
    double sent = evidence.totals().upTo(until) - evidence.totals().upTo(from);
    double average = BELOW_AVERAGE * evidence.average(now);
    boolean slow = rate < average && sent >= LOW_CHECK_UNITS * unit;
    boolean checked = sent >= checkUnits * unit;
    if (until < correctedAt || !(checked || slow) || now - raisedAt < CHECK_SECONDS) {
      return;
    }
    if (!checked) {
      // Far below what was let through until lately, and nothing refuses it.
      rate = Math.min(average, LOW_GROWTH * rate);
      raisedAt = now;
      return;
    }
    raisedAt = now;
    checkUnits = sent / unit + checkUnits();
    double tried = belief.quantileIf(evidence.totals(), from, until, unit, TRIED);
    double low = belief.quantileIf(evidence.totals(), from, until, unit, LOW);
    // The buckets that are considered may all be wrong: what is let through speaks for itself.
    raises++;
    double raised = Math.min(MOST_SEARCH_GROWTH, Math.pow(SEARCH_GROWTH, Math.max(1, raises - 2)));
    rate = Math.max(tried, raised * rate);
    if (rate > belief.most() || low > 0.9 * belief.most() || tried > 0.85 * belief.most()) {
      // Whatever was thought possible is too little.
      climbAgain(now);
    }
  }

  /** Where units are rare, waiting for many of them costs more than a refusal. */
  private double checkUnits() {
    double seconds = CHECK_UNITS * evidence.unitOrOne() / rate;
    return seconds > SLOW_CHECK_SECONDS ? LOW_CHECK_UNITS : CHECK_UNITS;
  }

  /** Whether a refusal now cannot be about the rate, as far as it was measured. */
  boolean isUnexplained() {
    return phase == Phase.TRACK && rate() < WELL_BELOW * growth.confirmed();
  }

  /**
   * Corrects for a refusal that the pace does not explain: the rate is a little too high at most.
   */
  void trim(double units) {
    double share = 0.5 / Math.min(units, TRIMMED_UNITS);
    growth.trim(share);
    rate *= 1 - share;
  }

  /** Climbs from a rate that held: what was measured is not a limit. */
  void climbFrom(double held, double now) {
    evidence.markFull(now);
    belief.forget();
    best.forget();
    growth.forget();
    rate = held;
    climbAgain(now);
  }

  private void climbAgain(double now) {
    phase = Phase.RAMP;
    climb = LATER_CLIMB;
    raisedAt = now;
  }

  /**
   * One more refusal of the same episode.
   *
   * @return seconds to pause
   */
  double refusedAgain(double now, double sentAt) {
    refusalsInEpisode++;
    PaceState.At mark = evidence.mark();
    if (phase != Phase.SEARCH || mark == null || sentAt <= mark.at()) {
      return 0;
    }
    double from = mark.at();
    double unit = evidence.unitOrOne();
    double upTo = Math.nextUp(sentAt);
    double sustained = Math.pow(0.5, barren) * evidence.sustained(sentAt);
    double tried = belief.quantileIf(evidence.totals(), from, upTo, unit, TRIED);
    rate = Math.min(rate, Math.max(tried, BELOW_SUSTAINED * sustained));
    double middle = belief.quantileIf(evidence.totals(), from, upTo, unit, 0.5);
    return pause(now, Math.max(middle, sustained));
  }

  /**
   * Learns from the first refusal of an episode.
   *
   * @param pace until now; infinite if there was none
   * @param believed the rate that a believed source states; 0 if there is none
   * @return seconds to pause
   */
  double refused(
      double now, double sentAt, double sentBefore, double cost, double pace, double believed) {
    double current = pace;
    Interval interval = evidence.sinceMark(sentAt, sentBefore);
    if (Double.isInfinite(current)) {
      // Never paced until now: as fast as it went.
      current = Math.max(evidence.recentRate(sentAt), evidence.unit());
    } else if (phase == Phase.RAMP && sentAt - boundAt > BOUND_SECONDS) {
      // Another limit set the pace until now.
      current = Math.min(current, Math.max(1.1 * evidence.recentRate(sentAt), evidence.unit()));
      best.confirmed(now, acceptedLately(sentAt), LATELY_SECONDS);
    }
    refusalsInEpisode = 1;
    double recalled = remembered;
    remembered = 0;
    if (recalled > 0 && rate > recalled) {
      // As far as it was remembered, it was let through.
      track(recalled, RECALLED_SECONDS);
      growth.trust();
      correctedAt = now;
      return Math.max(1.2 * evidence.unit() / rate, 0.08);
    }
    double sustained = evidence.sustained(sentAt);
    if (interval != null && interval.rate() < SUSTAINED_SHARE * sustained) {
      if (interval.accepted() >= ENOUGH_UNITS * evidence.unit()) {
        evidence.forgetSustained();
        sustained = 0;
      } else {
        barren++;
        sustained *= Math.pow(0.5, barren);
      }
    } else {
      barren = 0;
    }
    if (phase == Phase.TRACK
        && interval != null
        && interval.rate() < SUSTAINED_SHARE * growth.confirmed()) {
      cautiousUntil = now + CAUTIOUS_SECONDS;
    }
    boolean noise =
        phase == Phase.TRACK && interval != null && interval.seconds() < 0.6 && !lastWasNoise;
    if (phase == Phase.TEST) {
      phase = Phase.TRACK;
      best.failed(now);
    } else if (!noise) {
      learn(now, sentAt, interval, cost, current, believed);
    }
    lastWasNoise = noise;
    double average = Math.pow(0.5, barren + 1) * evidence.average(sentAt);
    double least = Math.max(BELOW_SUSTAINED * sustained, Math.min(average, MOST_OF_PACE * current));
    rate = Math.max(rate, Math.max(least, 0.02 * evidence.unit()));
    correctedAt = now;
    return phase == Phase.SEARCH
        ? pause(now, Math.max(sustained, belief.quantile(0.5)))
        : Math.max(1.2 * evidence.unit() / rate, 0.08);
  }

  /** Whether enough was let through lately for an average. */
  boolean isBusy(double sentAt) {
    return evidence.accepted(sentAt - LATELY_SECONDS, sentAt) >= BUSY_UNITS * evidence.unitOrOne();
  }

  private double acceptedLately(double sentAt) {
    // A run that has just begun has sent nothing before.
    double seconds = Math.clamp(sentAt - evidence.firstSentAt(), 1, LATELY_SECONDS);
    return evidence.accepted(sentAt - seconds, sentAt) / seconds;
  }

  /**
   * Learns from a refusal that a bucket does not explain: there is enough in it. What limits is how
   * fast the traffic grows, or how much of it there was lately.
   *
   * @return seconds to pause
   */
  double refusedInSpite(double now, double sentAt, double sentBefore) {
    refusalsInEpisode = 1;
    double lately = acceptedLately(sentAt);
    Interval interval = evidence.sinceMark(sentAt, sentBefore);
    if (interval != null && interval.seconds() >= 2) {
      lately = Math.max(lately, interval.rate());
    }
    belief.forget();
    track(Math.max(lately, evidence.unitOrOne() / LATELY_SECONDS), 0);
    lastWasNoise = false;
    correctedAt = now;
    return Math.max(1.2 * evidence.unit() / rate, 0.08);
  }

  /** How long a search pauses: until some units have come back, but not more than there is room. */
  private double pause(double now, double perSecond) {
    double unit = evidence.unitOrOne();
    double units = Math.clamp(belief.burst(0.75) / unit - 0.5, 1.2, SEARCH_UNITS);
    // What is thought of a rate that was hardly seen yet may be far off.
    double longest =
        Math.clamp(
            now - evidence.firstSentAt(), SHORTEST_LONG_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS);
    return Math.clamp(units * unit / perSecond, 0.08, longest);
  }

  private void learn(
      double now,
      double sentAt,
      @Nullable Interval interval,
      double cost,
      double current,
      double believed) {
    double unit = evidence.unit();
    if (phase == Phase.TRACK && interval != null && isConfirmedBy(interval, current)) {
      // Averages over long intervals are more exact than any grid.
      rate = growth.confirm(held(interval, current), interval.seconds(), unit);
      best.confirmed(now, growth.confirmed(), growth.confirmedSeconds());
      return;
    }
    if (interval != null && isDirect(interval, unit)) {
      double fastest = now < cautiousUntil ? 0 : evidence.fastestUntil(sentAt, DIRECT_UNITS * unit);
      track(Math.max(held(interval, current), fastest), interval.seconds());
      best.confirmed(now, growth.confirmed(), growth.confirmedSeconds());
      belief.forget();
      return;
    }
    if (phase == Phase.TRACK && interval != null && interval.accepted() >= ENOUGH_UNITS * unit) {
      // Neither confirmed nor refused at once: it is not far from where it was.
      double least = 0.3 * Math.min(interval.rate(), rate);
      belief.begin(least, 1.15 * current, largest(), unit);
    } else if (phase == Phase.TRACK && interval != null) {
      belief.begin(0.02 * current, 1.15 * current, largest(), unit);
    }
    if (believed > 0 && belief.isEmpty()) {
      belief.begin(
          believed / BELIEVED_SPAN,
          Math.max(BELIEVED_SPAN * believed, 1.15 * current),
          evidence.sentUnits() / unit,
          unit);
      belief.favor(0.7 * believed, 1.4 * believed);
    } else if (belief.isEmpty()) {
      double most = Math.max(evidence.recentRate(sentAt), current);
      belief.begin(1.15 * most, evidence.sentUnits() / unit, unit);
    } else if (phase == Phase.RAMP && current > belief.most()) {
      belief.widen(1.15 * current);
    }
    PaceState.At mark = evidence.mark();
    double from = mark == null ? evidence.firstSentAt() : mark.at();
    boolean full = mark == null || evidence.isMarkFull();
    if (!belief.refused(evidence.totals(), from, full, sentAt, cost, unit)) {
      // The limit has changed: the last interval is all that counts.
      double observed = interval == null ? current : interval.rate();
      belief.begin(
          Math.max(0.05 * observed, 0.01 * current),
          1.15 * current,
          evidence.sentUnits() / unit,
          unit);
      belief.refused(evidence.totals(), from, full, sentAt, cost, unit);
    }
    double middle = belief.quantile(0.5);
    boolean rare = middle < RARE * unit;
    double known = rare ? KNOWN_IF_RARE : KNOWN;
    if (belief.quantile(HIGH) > known * belief.quantile(LOW)) {
      phase = Phase.SEARCH;
      rate = Math.min(Math.max(belief.quantile(TRIED), current / MOST_CUT), 0.97 * current);
      checkUnits = checkUnits();
      raises = 0;
      raisedAt = now;
      growth.forget();
    } else if (phase == Phase.TRACK && growth.isConfirmedBy(middle)) {
      rate = growth.confirm(middle, seconds(interval), unit);
      best.confirmed(now, growth.confirmed(), growth.confirmedSeconds());
    } else {
      track(belief.quantile(rare ? TRACKED_IF_RARE : 0.5), seconds(interval));
      best.confirmed(now, growth.confirmed(), growth.confirmedSeconds());
    }
  }

  /**
   * The rate that an interval has shown: its average, or the pace at its end if refusals are so
   * rare that they are worth it. A bucket that holds hardly more than one request refuses now and
   * then at any pace, since requests do not arrive as evenly as they leave.
   */
  private double held(Interval interval, double current) {
    return phase == Phase.TRACK
            && interval.accepted() >= RARE_UNITS * Math.max(evidence.unit(), interval.refused())
        ? Math.max(interval.rate(), Math.min(current, RISEN * interval.rate()))
        : interval.rate();
  }

  /** The largest size, in units, that the bucket can have, as far as is known. */
  private double largest() {
    double unit = evidence.unitOrOne();
    double sent = evidence.sentUnits() / unit;
    return belief.isEmpty() ? sent : Math.min(sent, 2 * belief.burst(0.05) / unit);
  }

  /** Whether the pace has not yet grown beyond what was measured. */
  boolean isBelowMeasured() {
    return phase == Phase.TRACK
        && growth.confirmedSeconds() * growth.confirmed() > WELL_MEASURED * evidence.unitOrOne()
        && rate() < WELL_BELOW * growth.confirmed();
  }

  /** Whether so much was let through since the bucket was empty that this is what it gets. */
  private boolean isDirect(Interval interval, double unit) {
    return interval.accepted() >= DIRECT_UNITS * unit
        && interval.rate() >= DIRECT_RATE * unit
        && !evidence.isMarkFull()
        && interval.seconds() > 5 * evidence.pauseAfterMark();
  }

  private boolean isConfirmedBy(Interval interval, double current) {
    return interval.accepted() >= CONFIRMING_UNITS * evidence.unit()
        && current < RISEN * rate
        && !evidence.isMarkFull()
        && growth.isConfirmedBy(interval.rate());
  }

  private static double seconds(@Nullable Interval interval) {
    return interval == null ? 0 : interval.seconds();
  }

  private void track(double measured, double seconds) {
    phase = Phase.TRACK;
    rate = growth.measured(measured, seconds, evidence.unitOrOne());
  }

  /** A rate held that was not expected to: what was measured before is history. */
  private void proven(double now, double held) {
    evidence.markFull(now);
    belief.forget();
    track(held, 0);
  }

  @Override
  public String toString() {
    return "%s %.3f (%s)".formatted(phase, rate(), belief);
  }
}

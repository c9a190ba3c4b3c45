package dev.weir.limits.pace;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Paces one limit that nobody advertises, at a rate learned from refusals.
 *
 * <p>A refusal proves that the provider's bucket was empty when that request was sent: a mark. Over
 * an interval that starts at a mark, accepted / elapsed is at most the refill; if it also ends at
 * one, and nothing overflowed in between, it is the refill. So two refusals with work between them
 * measure the limit, and every further one measures it again.
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
 *   <li>BISECT is for buckets with hardly any burst: a smooth sender is refused the moment it is
 *       too fast, so each spacing is one bit, and the bracket is halved.
 *   <li>TRACK sends a little below the measured rate and grows as {@code 1 + 0.5 (t/T)^3}; T
 *       lengthens with each refusal that confirms the measurement.
 *   <li>TEST tries the best rate of earlier, now and then, after the limit has dropped.
 *   <li>DROUGHT, from any phase, is for quotas that come all at once (600 in each calendar minute):
 *       when nothing at all is accepted for seconds, no rate is low enough. One request asks now
 *       and then, and when it is let through, sending goes on as fast as before.
 * </ul>
 *
 * <p>Refusals of requests that were sent before the last correction belong to the same episode. The
 * average over an exponential ramp is not an upper bound, because the bucket overflowed early in
 * it; and an interval that spans an outage or a change of the limit is not averaged.
 */
final class HiddenRate {

  enum Phase {
    RAMP,
    SEARCH,
    BISECT,
    TRACK,
    TEST,
    DROUGHT
  }

  /** What is known of the bucket behind the rate. */
  private enum Burst {
    UNKNOWN,
    TINY,
    REAL
  }

  private static final double FIRST_GROWTH_SECONDS = 20;
  private static final double LONGEST_GROWTH_SECONDS = 60;
  private static final double GROWTH = 0.5;
  private static final double BELOW_MEASURED = 0.97;

  /**
   * Bounds on how long a rate that was taken for far too low is kept: it may have been an error.
   */
  private static final double LONGEST_QUIET_SECONDS = 40;

  private static final double LONGEST_ROUND_SECONDS = 8;
  private static final int RATES_KEPT = 8;
  private static final double BRACKET = 1.06;
  private static final double TEST_SECONDS = 1.5;
  private static final double FIRST_TEST_GAP_SECONDS = 12;
  private static final double LONGEST_TEST_GAP_SECONDS = 30;

  /**
   * So many episodes without an accepted request, over so long, are a drought; less the next time.
   */
  private static final int DROUGHT_EPISODES = 4;

  private static final double DROUGHT_SECONDS = 8;
  private static final int NEXT_DROUGHT_EPISODES = 2;
  private static final double NEXT_DROUGHT_SECONDS = 1.5;
  private static final double FIRST_DROUGHT_GAP_SECONDS = 1;
  private static final double LONGEST_DROUGHT_GAP_SECONDS = 5;

  /** A quota that comes all at once brings more than this; less means an overdrawn bucket. */
  private static final double LEAST_HARVEST_UNITS = 30;

  /** A refusal comes faster than this; a request without one by then was let through. */
  private static final double REFUSED_BY_NOW_SECONDS = 0.6;

  /** A proof that the bucket was empty: when, and how much had been sent before. */
  private record Mark(double at, double sentBefore) {}

  private record PacedAt(double at, double rate) {}

  private Phase phase = Phase.RAMP;
  private boolean active;
  private boolean suspended;
  private double rate;
  private double climb = 2;
  private double unit;
  private double nextAt;

  private double sentUnits;
  private double firstSentAt = Double.NaN;
  private double raisedAt;
  private double correctedAt;
  private @Nullable Mark mark;
  private final SendLog log = new SendLog();
  private final Deque<PacedAt> paced = new ArrayDeque<>();
  private int episodes;
  private int refusalsInEpisode;
  private boolean lastWasNoise;

  private double trackedSince;
  private double growthSeconds = FIRST_GROWTH_SECONDS;
  private double confirmed;
  private double confirmedSeconds;
  private double best;
  private double testAt = Double.NaN;
  private double testGap = FIRST_TEST_GAP_SECONDS;

  private int barrenEpisodes;
  private double barrenSince;
  private double rateBeforeDrought;
  private double droughtGap;
  private double askedAt = Double.NaN;
  private boolean knowsDrought;
  private boolean distrustsDrought;
  private @Nullable Mark harvestFrom;

  private Burst burst = Burst.UNKNOWN;
  private int searches;
  private double low;
  private double high;
  private double firstLow;
  private double provenFloor;
  private int acceptedSpacings;
  private double unitsToProve;
  private double unitsAtThisSpacing;

  /**
   * @param startRate units a second to begin with
   * @param active whether it paces from the start, or only after a refusal names its dimension
   */
  HiddenRate(double startRate, boolean active) {
    this.rate = startRate;
    this.active = active;
  }

  /** Begins at a rate that somebody states or remembers, as if it had been measured. */
  void startAt(double knownRate, double now) {
    active = true;
    track(now, knownRate / BELOW_MEASURED, 0);
  }

  Phase phase() {
    return phase;
  }

  boolean isActive() {
    return active;
  }

  /** Stops pacing without forgetting: another limit has been found to bind. */
  void suspend() {
    suspended = active || suspended;
    active = false;
  }

  /** What was sent meanwhile was not paced, so it says nothing about the rate that was. */
  private void resume(double now) {
    suspended = false;
    mark = null;
    trackedSince = now;
    testAt = Double.NaN;
  }

  int episodes() {
    return episodes;
  }

  /** The measured rate; 0 if there is none. */
  double confirmed() {
    return confirmed;
  }

  double rate(double now) {
    return switch (phase) {
      case TEST -> best;
      case TRACK -> rate * (1 + GROWTH * Math.pow((now - trackedSince) / growthSeconds, 3));
      case RAMP, SEARCH, BISECT, DROUGHT -> rate;
    };
  }

  /** A rate that is known to be allowed, from an advertised limit: no need to ramp up to it. */
  void atLeast(double knownRate) {
    if (episodes == 0 && phase == Phase.RAMP) {
      rate = Math.max(rate, knownRate);
    }
  }

  /** Seconds until the next unit may leave. */
  double waitSeconds(double now) {
    return active ? Math.max(0, nextAt - now) : 0;
  }

  /**
   * @return how much had been sent before this request: its place, if it is refused
   */
  double send(double now, double cost) {
    if (Double.isNaN(firstSentAt)) {
      firstSentAt = now;
      raisedAt = now;
    }
    double before = sentUnits;
    sentUnits += cost;
    unitsAtThisSpacing += cost;
    unit = unit == 0 ? cost : unit + 0.05 * (cost - unit);
    log.sent(now, cost);
    if (active) {
      double current = rate(now);
      paced.add(new PacedAt(now, current));
      if (paced.size() > RATES_KEPT) {
        paced.removeFirst();
      }
      nextAt = Math.max(nextAt, now - 0.5 * cost / current) + cost / current;
      if (phase == Phase.DROUGHT) {
        askedAt = now;
        nextAt = now + REFUSED_BY_NOW_SECONDS;
      }
    }
    return before;
  }

  /** Gives back what was reserved and not used. */
  void refund(double amount) {
    sentUnits -= amount;
    if (active && phase != Phase.RAMP) {
      nextAt -= amount / rate;
    }
  }

  /** What happened while the provider was away says nothing about the limit. */
  void forgetInterval(double now) {
    if (mark != null) {
      mark = new Mark(now, sentUnits);
      trackedSince = now;
    }
  }

  /**
   * Lets time pass.
   *
   * @param binding whether this rate is what the next request waits for
   */
  void tick(double now, boolean binding) {
    if (!active) {
      return;
    }
    switch (phase) {
      case RAMP -> climb(now, binding);
      case SEARCH -> {
        if (now - correctedAt
            > Math.max(3, Math.min(20 * unitOrOne() / rate, LONGEST_QUIET_SECONDS))) {
          // Nothing was refused: a floor, not the rate. Climb again.
          phase = Phase.RAMP;
          climb = 1.5;
          raisedAt = now;
          provenFloor = rate;
        }
      }
      case BISECT -> {
        if (unitsAtThisSpacing >= unitsToProve && now - correctedAt > 0.2) {
          low = rate;
          acceptedSpacings++;
          bisect(now, true);
        }
      }
      case TRACK -> {
        if (now >= testAt) {
          phase = Phase.TEST;
          trackedSince = now;
          nextAt = Math.min(nextAt, now);
        }
      }
      case TEST -> {
        if (now - trackedSince >= TEST_SECONDS) {
          // It held: the old limit is back.
          testAt = Double.NaN;
          mark = new Mark(now, sentUnits);
          track(now, best, 0);
        }
      }
      case DROUGHT -> {
        if (now - askedAt >= REFUSED_BY_NOW_SECONDS) {
          endDrought(now);
        }
      }
    }
  }

  private void climb(double now, boolean binding) {
    double round = Math.max(1, Math.min(4 * unitOrOne() / rate, LONGEST_ROUND_SECONDS));
    if (binding && now - raisedAt >= round) {
      if (log.sentSince(now - round) >= 0.7 * rate * round - unitOrOne()) {
        provenFloor = rate;
        rate *= climb;
      }
      raisedAt = now;
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
      resume(now);
    }
    active = true;
    log.refused(sentAt, cost);
    if (sentAt < correctedAt) {
      refusalsInEpisode++;
      if (mark == null || sentAt > mark.at) {
        mark = new Mark(sentAt, sentBefore);
      }
      return false;
    }
    episodes++;
    if (unit == 0) {
      unit = cost;
    }
    double current = neverPaced ? Double.POSITIVE_INFINITY : rate(now);
    if (isDrought(sentAt, sentBefore, current)) {
      mark = new Mark(sentAt, sentBefore);
      correctedAt = now;
      askedAt = Double.NaN;
      nextAt = now + droughtGap;
      droughtGap = Math.min(droughtGap * 1.5, LONGEST_DROUGHT_GAP_SECONDS);
      return true;
    }
    boolean noise = learn(now, sentAt, sentBefore, cost, current);
    lastWasNoise = noise;
    refusalsInEpisode = 1;
    rate = Math.max(rate, 0.02 * unit);
    mark = new Mark(sentAt, sentBefore);
    correctedAt = now;
    nextAt = now + pause();
    return true;
  }

  /** Counts episodes in which nothing was accepted; enters or stays in the drought if they last. */
  private boolean isDrought(double sentAt, double sentBefore, double current) {
    if (phase == Phase.DROUGHT) {
      return true;
    }
    if (distrustsDrought) {
      return false;
    }
    Interval interval = sinceMark(sentAt, sentBefore);
    // The refused request that made the mark is itself in the interval.
    if (mark == null || interval == null || interval.accepted > 1.5 * unit) {
      barrenEpisodes = 0;
      barrenSince = sentAt;
      rateBeforeDrought = current;
      return false;
    }
    barrenEpisodes++;
    double seconds = sentAt - barrenSince;
    boolean drought =
        knowsDrought
            ? barrenEpisodes >= NEXT_DROUGHT_EPISODES && seconds >= NEXT_DROUGHT_SECONDS
            : barrenEpisodes >= DROUGHT_EPISODES && seconds >= DROUGHT_SECONDS;
    if (drought && isMeagre(sentAt)) {
      // Refusals that cost quota overdraw a bucket: going on as fast as before would do it again.
      distrustsDrought = true;
      return false;
    }
    if (drought) {
      phase = Phase.DROUGHT;
      knowsDrought = true;
      droughtGap = FIRST_DROUGHT_GAP_SECONDS;
    }
    return drought;
  }

  private boolean isMeagre(double sentAt) {
    if (harvestFrom == null) {
      return false;
    }
    double harvest = sentUnits - harvestFrom.sentBefore - log.refusedWithin(harvestFrom.at, sentAt);
    return harvest < LEAST_HARVEST_UNITS * unit;
  }

  private void endDrought(double now) {
    harvestFrom = new Mark(now, sentUnits);
    phase = Phase.RAMP;
    climb = 1.5;
    rate = Double.isFinite(rateBeforeDrought) ? Math.max(rate, rateBeforeDrought) : rate;
    raisedAt = now;
    mark = null;
    barrenEpisodes = 0;
    nextAt = now;
  }

  private double pause() {
    return phase == Phase.SEARCH
        ? Math.max((burst == Burst.TINY ? 2 : 8) * unit / rate, 0.25)
        : Math.max(1.2 * unit / rate, 0.08);
  }

  /** Learns from the first refusal of an episode; true if it is taken for noise. */
  private boolean learn(double now, double sentAt, double sentBefore, double cost, double current) {
    Interval interval = sinceMark(sentAt, sentBefore);
    if (phase == Phase.RAMP || interval == null) {
      endRamp(now, sentAt, cost, current, interval);
      return false;
    }
    switch (phase) {
      case SEARCH -> narrowSearch(now, current, interval);
      case BISECT -> narrowBracket(now, interval);
      case TEST -> {
        phase = Phase.TRACK;
        testAt = now + testGap;
        testGap = Math.min(testGap * 1.2, LONGEST_TEST_GAP_SECONDS);
      }
      case TRACK -> {
        if (interval.seconds < 0.6 && !lastWasNoise) {
          // Late work in flight right after a correction is not news.
          return true;
        }
        correctTrack(now, sentAt, current, interval);
        rememberBest(now);
      }
      case RAMP, DROUGHT -> throw new IllegalStateException("cannot be in " + phase + " here");
    }
    return false;
  }

  /** What was accepted between the last proof of emptiness and this one. */
  private record Interval(double seconds, double accepted) {
    double rate() {
      return accepted / seconds;
    }
  }

  private @Nullable Interval sinceMark(double sentAt, double sentBefore) {
    if (mark == null) {
      return null;
    }
    // The mark's own request stays in: it was refused at the very start of the interval.
    double accepted =
        sentBefore - mark.sentBefore - log.refusedWithin(Math.nextUp(mark.at), sentAt);
    return new Interval(Math.max(sentAt - mark.at, 1e-3), accepted);
  }

  private void endRamp(
      double now, double sentAt, double cost, double current, @Nullable Interval interval) {
    double before = rateBefore(sentAt, current);
    if (burst == Burst.TINY && interval != null && interval.rate() >= 0.5 * before) {
      track(now, before, 5);
    } else if (interval != null && interval.accepted >= (burst == Burst.REAL ? 8 : 20) * unit) {
      track(now, interval.rate(), interval.seconds);
    } else if (interval != null && burst == Burst.UNKNOWN && interval.accepted >= 4 * unit) {
      low = Math.min(Math.max(interval.rate(), provenFloor), 0.95 * current);
      high = current;
      firstLow = interval.rate();
      acceptedSpacings = 0;
      bisect(now, false);
    } else {
      // Only the part of the ramp that was draining the bucket bounds the refill from above.
      double from = Math.max(firstSentAt, Math.min(raisedAt - 1, sentAt - 1));
      double bound = Math.max(log.accepted(from, sentAt), cost) / Math.max(sentAt - from, 0.25);
      searches = 0;
      search(Math.min(bound, current));
    }
  }

  private void narrowSearch(double now, double current, Interval interval) {
    if (interval.accepted >= 8 * unit && interval.seconds >= 0.3) {
      track(now, interval.rate(), interval.seconds);
    } else if (interval.accepted < 4 * unit
        && searches >= 1
        && burst != Burst.REAL
        && refusalsInEpisode <= 3) {
      low = Math.max(interval.rate(), 0.25 * current);
      high = current;
      firstLow = low;
      acceptedSpacings = 0;
      bisect(now, false);
    } else {
      searches++;
      searchBelow(current, interval);
    }
  }

  private void narrowBracket(double now, Interval interval) {
    high = rate;
    if (interval.accepted >= 4 * unit) {
      low = Math.max(low, Math.min(interval.rate(), 0.99 * high));
    }
    if (burst == Burst.UNKNOWN
        && interval.accepted >= 8 * unit
        && interval.rate() < 1.03 * firstLow) {
      // Refused just above the first estimate: the bucket is real.
      burst = Burst.REAL;
      track(now, interval.rate(), interval.seconds);
    } else {
      bisect(now, false);
    }
  }

  private void correctTrack(double now, double sentAt, double current, Interval interval) {
    double observed = interval.rate();
    double before = rateBefore(sentAt, current);
    boolean risen = current > 1.3 * rate;
    if (interval.accepted < 8 * unit) {
      searches = 0;
      searchBelow(current, interval);
    } else if (risen && burst == Burst.UNKNOWN) {
      low = Math.min(Math.max(observed, rate), 0.95 * current);
      firstLow = low;
      high = current;
      acceptedSpacings = 1;
      bisect(now, false);
    } else if (risen && burst == Burst.REAL) {
      // The limit moved up: an average over the interval would mislead.
      searches = 0;
      search(Math.max(Math.min(log.accepted(sentAt - 2, sentAt) / 2, current), rate));
    } else if (burst == Burst.TINY && observed < 0.8 * before) {
      // A bucket is being drained after all.
      burst = Burst.REAL;
      track(now, observed, interval.seconds);
    } else if (burst == Burst.TINY) {
      confirmed = before;
      growthSeconds = Math.min(growthSeconds * 1.5, LONGEST_GROWTH_SECONDS);
      rate = 0.98 * before;
      trackedSince = now;
    } else if (observed < 0.93 * current && burst == Burst.UNKNOWN) {
      low = observed;
      firstLow = observed;
      high = current;
      acceptedSpacings = 1;
      bisect(now, false);
    } else if (confirmed > 0 && Math.abs(observed / confirmed - 1) < 0.15) {
      confirmed =
          (confirmed * confirmedSeconds + observed * interval.seconds)
              / (confirmedSeconds + interval.seconds);
      confirmedSeconds = Math.min(confirmedSeconds + interval.seconds, 60);
      growthSeconds = Math.min(growthSeconds * 1.5, LONGEST_GROWTH_SECONDS);
      rate = BELOW_MEASURED * confirmed;
      trackedSince = now;
    } else {
      track(now, observed, interval.seconds);
    }
  }

  /** Keeps the best rate that was ever well confirmed, and plans to test it after a drop. */
  private void rememberBest(double now) {
    if (phase != Phase.TRACK || confirmed == 0) {
      return;
    }
    if (confirmedSeconds >= 5 && confirmed > best) {
      best = confirmed;
      testAt = Double.NaN;
      testGap = FIRST_TEST_GAP_SECONDS;
    } else if (best > 0 && confirmed < 0.75 * best) {
      if (Double.isNaN(testAt)) {
        testAt = now + FIRST_TEST_GAP_SECONDS;
        testGap = FIRST_TEST_GAP_SECONDS;
      }
    } else {
      testAt = Double.NaN;
    }
  }

  private void track(double now, double measured, double seconds) {
    phase = Phase.TRACK;
    confirmed = measured;
    confirmedSeconds = seconds;
    rate = BELOW_MEASURED * measured;
    trackedSince = now;
    growthSeconds = FIRST_GROWTH_SECONDS;
  }

  private void search(double upperBound) {
    phase = Phase.SEARCH;
    rate = upperBound;
    confirmed = 0;
  }

  private void searchBelow(double current, Interval interval) {
    double bound =
        interval.seconds > 0.15 ? (interval.accepted + 2 * unit) / interval.seconds : current;
    search(Math.max(Math.min(bound, 0.9 * current), 0.5 * current));
  }

  private void bisect(double now, boolean accepted) {
    if (high < BRACKET * low) {
      if (acceptedSpacings == 0) {
        // Nothing in the bracket was ever accepted: it is too high.
        searches = 0;
        search(0.5 * low);
        return;
      }
      if (burst == Burst.UNKNOWN) {
        burst = Burst.TINY;
      }
      track(now, low, 5);
      return;
    }
    phase = Phase.BISECT;
    rate = Math.sqrt(low * high);
    unitsToProve = unitOrOne() * Math.min(60, 2 / (1 - low / rate));
    unitsAtThisSpacing = 0;
    if (accepted) {
      correctedAt = now;
    }
  }

  /** The rate at which was sent just before the refused request. */
  private double rateBefore(double sentAt, double current) {
    double last = Double.NaN;
    double lastButOne = Double.NaN;
    for (PacedAt pacedAt : paced) {
      if (pacedAt.at < sentAt) {
        lastButOne = last;
        last = pacedAt.rate;
      }
    }
    double before = Double.isNaN(lastButOne) ? last : lastButOne;
    return Double.isNaN(before) ? current : Math.min(before, current);
  }

  private double unitOrOne() {
    return unit == 0 ? 1 : unit;
  }
}

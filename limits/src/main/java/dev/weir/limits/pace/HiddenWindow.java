package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.HiddenWindowState;

/**
 * A quota that comes all at once (600 in each calendar minute) and is not advertised: when the next
 * window opens, and how much it holds.
 *
 * <pre>
 *   nothing is let through for seconds        one is let through
 *        ───────────────────────> DROUGHT ────────────────────────> HARVEST
 *                                   ^                                  │
 *                                   └──── refused, or all was taken ───┘
 * </pre>
 *
 * <p>In a drought no rate is low enough: one request asks now and then. When it is let through, a
 * window has opened since the last one that was not. Two such moments bound the length of a window,
 * and what was let through between an opening and the next refusal is what it holds. From then on,
 * a window is used up as soon as it opens, without a refusal.
 *
 * <p>A bucket has droughts, too, when it is overdrawn, but it brings little after them. So a meagre
 * harvest means that there are no windows.
 */
final class HiddenWindow {

  /** No rate in use is this low: nothing for so long is a drought. */
  private static final double DRY_SECONDS = 4;

  private static final double ROOMY_DRY_SECONDS = 12;

  /** So many units that should have come by what was let through before are a drought, too. */
  private static final double DRY_UNITS = 15;

  private static final double PEAK_SHARE = 0.25;
  private static final double SHORTEST_DRY_SECONDS = 1;

  private static final double FIRST_GAP_SECONDS = 1;
  private static final double LONGEST_GAP_SECONDS = 60;

  /** A request without a refusal by then was let through: refusals come faster. */
  static final double REFUSED_BY_NOW_SECONDS = 0.6;

  private static final double QUIET = 1.5;
  private static final double SHORTEST_QUIET_SECONDS = 0.05;

  /** What an overdrawn bucket brings at most, and by how much a window has to exceed it. */
  private static final double MEAGRE_UNITS = 3;

  private static final double MEAGRE = 4;

  /** A new window is tried out from this share of the fastest pace of earlier, doubling. */
  private static final double FIRST_SHARE = 0.125;

  private static final double DOUBLING_SECONDS = 0.3;
  private static final double LEAST_RATE = 4;

  /** A window that is known is used up within this share of its length. */
  private static final double BURST_SHARE = 0.1;

  private static final double SHORTEST_BURST_SECONDS = 0.3;

  /** How closely it has to be known when a window opens, in shares of its length. */
  private static final double NARROW = 0.04;

  private static final double NARROW_SECONDS = 0.1;
  private static final double LATE_SECONDS = 0.03;

  /** Lengths in use, the most frequent first. */
  private static final double[] USUAL_SECONDS = {
    60, 10, 30, 1, 5, 15, 20, 2, 3_600, 120, 300, 600, 900, 1_800
  };

  /** How far from all of these a length is that was measured wrongly. */
  private static final double UNUSUAL = 0.05;

  /** Where little is known, a window is taken for one of these. */
  private static final double[] LIKELY_SECONDS = {10, 60};

  private static final int MOST_SURPRISES = 3;

  /** After so many windows without a refusal one is tried out; later after each that is refused. */
  private static final int FIRST_TRIAL = 4;

  private static final int RAREST_TRIAL = 64;

  /**
   * A window that opens late begins with its first request; it is not asked for later than this.
   */
  private static final double LATE_SHARE = 0.1;

  /** Windows bring at least this share of what was let through on average before. */
  private static final double LEAST_SHARE = 0.5;

  /** A refusal that asks to wait for so long, and for so many units, is about a window. */
  private static final double SHORTEST_SERVER_WAIT_SECONDS = 2;

  private static final double SERVER_WAIT_UNITS = 10;

  /** How much later than needed a refusal may ask to come back: it speaks in whole seconds. */
  private static final double LATE_SERVER_WAIT_SECONDS = 1.5;

  private double dryFrom = Double.NaN;
  private double refusedAt = Double.NEGATIVE_INFINITY;
  private double gap = FIRST_GAP_SECONDS;
  private double askedAt = Double.NaN;
  private double peak;
  private double openedFrom = Double.NaN;
  private double openedUntil = Double.NaN;
  private double shortest;
  private double longest = Double.POSITIVE_INFINITY;

  /** What a window holds; NaN if unknown. */
  private double quota = Double.NaN;

  private double harvestFrom = Double.NaN;

  /** When the last harvest ended with a refusal; NaN if it did not. */
  private double endedAt = Double.NaN;

  private double rate;
  private double doubledAt;
  private int unrefused;
  private int nextTrial = FIRST_TRIAL;
  private int surprises;
  private double refusalSeconds = Double.NaN;

  /** The first opening that bounds the length: it came between two moments. */
  private double firstFrom = Double.NaN;

  private double firstUntil = Double.NaN;

  /** How many windows have passed since. */
  private double windows;

  /** What was let through in a second before the drought, on average; 0 if unknown. */
  private double before;

  /** For how long nothing was let through before the last opening. */
  private double dryFor;

  /** How long the last refusal asked to wait, if that is what was waited for; else 0. */
  private double askedWait;

  HiddenWindow() {}

  HiddenWindow(HiddenWindowState state) {
    dryFrom = state.dryFrom();
    refusedAt = state.refusedAt();
    gap = state.gap();
    askedAt = state.askedAt();
    peak = state.peak();
    openedFrom = state.openedFrom();
    openedUntil = state.openedUntil();
    shortest = state.shortest();
    longest = state.longest();
    quota = state.quota();
    harvestFrom = state.harvestFrom();
    endedAt = state.endedAt();
    rate = state.rate();
    doubledAt = state.doubledAt();
    unrefused = state.unrefused();
    nextTrial = state.nextTrial();
    surprises = state.surprises();
    refusalSeconds = state.refusalSeconds();
    firstFrom = state.firstFrom();
    firstUntil = state.firstUntil();
    windows = state.windows();
    before = state.before();
    dryFor = state.dryFor();
    askedWait = state.askedWait();
  }

  HiddenWindowState state() {
    return new HiddenWindowState(
        dryFrom,
        refusedAt,
        gap,
        askedAt,
        peak,
        openedFrom,
        openedUntil,
        shortest,
        longest,
        quota,
        harvestFrom,
        endedAt,
        rate,
        doubledAt,
        unrefused,
        nextTrial,
        surprises,
        refusalSeconds,
        firstFrom,
        firstUntil,
        windows,
        before,
        dryFor,
        askedWait);
  }

  /**
   * Counts how long nothing has been let through.
   *
   * @param measured the rate that was measured; 0 if there is none
   * @param roomy whether the refusal shows that there is enough: then growth is limited, for which
   *     shorter droughts are usual
   * @return whether a drought begins
   */
  boolean begins(
      Evidence evidence,
      double sentAt,
      double sentBefore,
      double measured,
      double serverWait,
      boolean roomy) {
    Evidence.Interval interval = evidence.sinceMark(sentAt, sentBefore);
    // What came back of earlier requests may exceed what was let through: that is no drought.
    if (interval == null || Math.abs(interval.accepted()) > 0.5 * evidence.unit()) {
      dryFrom = sentAt;
      peak = Math.max(peak, evidence.recentRate(sentAt));
      before = evidence.average(sentAt);
      // A bucket asks to wait for one unit, a window for all that comes next.
      return interval != null
          && surprises < MOST_SURPRISES
          && serverWait >= SHORTEST_SERVER_WAIT_SECONDS
          && serverWait * interval.rate() >= SERVER_WAIT_UNITS * evidence.unit();
    }
    if (surprises >= MOST_SURPRISES) {
      return false;
    }
    double seconds = sentAt - dryFrom;
    double expected = seconds * Math.max(measured, PEAK_SHARE * peak);
    boolean begins =
        seconds >= (roomy ? ROOMY_DRY_SECONDS : DRY_SECONDS)
            || (!roomy
                && seconds >= SHORTEST_DRY_SECONDS
                && expected >= DRY_UNITS * evidence.unitOrOne());
    if (begins) {
      gap = FIRST_GAP_SECONDS;
      before = evidence.average(sentAt);
    }
    return begins;
  }

  /** Whether a window was seen from its opening to its end. */
  private boolean isKnown() {
    return !Double.isNaN(quota);
  }

  private boolean isPeriodKnown() {
    return longest < 1.5 * shortest;
  }

  /** The length of a window: a usual one if it is possible. */
  private double period() {
    for (double usual : USUAL_SECONDS) {
      if (usual > shortest && usual <= longest) {
        return usual;
      }
    }
    return 0.5 * (shortest + longest);
  }

  private boolean isUsual() {
    for (double usual : USUAL_SECONDS) {
      if (usual > (1 - UNUSUAL) * shortest && usual < (1 + UNUSUAL) * longest) {
        return true;
      }
    }
    return false;
  }

  /**
   * A request was refused in a drought, or has begun one.
   *
   * @param serverWait seconds that the refusal asks to wait; 0 if it does not say
   * @return when the next one may ask
   */
  double refused(double now, double sentAt, double serverWait) {
    askedAt = Double.NaN;
    if (isPeriodKnown() && sentAt > refusedAt) {
      // It came too early: the window opens later than was thought.
      double early = sentAt - periodsUntil(sentAt, openedUntil) * period();
      if (openedFrom < early && early < openedUntil) {
        openedFrom = early;
      }
    }
    refusedAt = Math.max(refusedAt, sentAt);
    if (isPeriodKnown()) {
      double next = opensAfter(sentAt);
      double late = sentAt - (openedUntil + (periodsUntil(sentAt, openedUntil) - 1) * period());
      if (late > 0 && late < LATE_SHARE * period() && sentAt > openedUntil + 0.5 * period()) {
        next = Math.min(next, now + Math.max(late, LATE_SECONDS));
      }
      if (serverWait > 0) {
        next = Math.min(next, now + serverWait);
      }
      return Math.max(now, next);
    }
    askedWait = serverWait;
    if (serverWait > 0) {
      return now + serverWait;
    }
    if (isKnown()) {
      double next = openedUntil + likelySeconds(sentAt) + LATE_SECONDS;
      if (next < Double.POSITIVE_INFINITY) {
        return Math.max(now, next);
      }
    }
    double wait = gap;
    gap = Math.min(2 * gap, LONGEST_GAP_SECONDS);
    return now + wait;
  }

  /** How long the window probably is that was open and is not any more; infinite if unknown. */
  private double likelySeconds(double refused) {
    for (double likely : LIKELY_SECONDS) {
      if (likely > Math.max(dryFor, shortest) && likely <= longest) {
        // After longer, another window may have opened unnoticed.
        return openedUntil + likely > refused ? likely : Double.POSITIVE_INFINITY;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  /** How many windows after a known opening the next one is that opens after a moment. */
  private double periodsUntil(double moment, double opened) {
    return Math.max(1, Math.ceil((moment - opened) / period()));
  }

  /** When to ask next: when a window has opened for certain, or halfway to find out more. */
  private double opensAfter(double moment) {
    double later = periodsUntil(moment + 1e-6, openedUntil) * period();
    double width = openedUntil - openedFrom;
    boolean narrow = width <= Math.max(NARROW_SECONDS, NARROW * period());
    double at = openedUntil + later - (narrow ? 0 : 0.5 * width);
    return (at > moment ? at : openedUntil + later) + LATE_SECONDS;
  }

  void asked(double now) {
    if (Double.isNaN(askedAt)) {
      askedAt = now;
    }
  }

  /**
   * A request that asked was not sent after all.
   *
   * @return whether it was the last one
   */
  boolean unasked(double sentAt) {
    if (askedAt != sentAt) {
      return false;
    }
    askedAt = Double.NaN;
    return true;
  }

  /** Whether a request asked and was not refused. */
  boolean isOver(double now) {
    return now - askedAt >= quietSeconds();
  }

  /** How long it takes until a request was let through if it has not been refused. */
  double quietSeconds() {
    return Double.isNaN(refusalSeconds)
        ? REFUSED_BY_NOW_SECONDS
        : Math.clamp(QUIET * refusalSeconds, SHORTEST_QUIET_SECONDS, REFUSED_BY_NOW_SECONDS);
  }

  /** A refusal took so long to arrive. */
  void refusalTook(double seconds) {
    refusalSeconds =
        Double.isNaN(refusalSeconds)
            ? seconds
            : Math.max(seconds, refusalSeconds + 0.1 * (seconds - refusalSeconds));
  }

  /** A window has opened. */
  void opened(double now, Evidence evidence) {
    double since =
        askedWait > 0 ? Math.max(refusedAt, askedAt - LATE_SERVER_WAIT_SECONDS) : refusedAt;
    dryFor = Math.max(since - dryFrom, 0);
    if (Double.isNaN(firstFrom)) {
      firstFrom = since;
      firstUntil = askedAt;
      openedFrom = since;
      openedUntil = askedAt;
    } else {
      openedAgain(since);
    }
    if (!Double.isNaN(endedAt)) {
      // By now it is known which of the requests around its end were refused.
      quota = evidence.accepted(harvestFrom, endedAt);
      endedAt = Double.NaN;
    }
    if (isPeriodKnown() && (!isUsual() || quota / period() < LEAST_SHARE * before)) {
      // Such a length is not in use, or much more was let through before.
      surprises++;
      quota = Double.NaN;
      forgetLength();
    }
    harvestFrom = askedAt;
    askedAt = Double.NaN;
    gap = FIRST_GAP_SECONDS;
    doubledAt = now;
    double usual = Math.max(peak, LEAST_RATE * evidence.unitOrOne());
    rate =
        isKnown()
            ? Math.max(usual, quota / Math.max(SHORTEST_BURST_SECONDS, BURST_SHARE * length()))
            : FIRST_SHARE * usual;
  }

  /** Each further opening narrows down how long a window is, and when it opens. */
  private void openedAgain(double since) {
    boolean known = isPeriodKnown();
    double passed = known ? Math.max(1, Math.rint((askedAt - openedUntil) / period())) : 1;
    windows += passed;
    shortest = Math.max(shortest, (Math.max(since, firstUntil) - firstUntil) / windows);
    longest = Math.min(longest, (askedAt - firstFrom) / windows);
    if (shortest < longest && !known) {
      openedFrom = Math.max(since, openedUntil);
      openedUntil = askedAt;
      return;
    }
    double later = passed * period();
    double from = Math.max(since, openedFrom + later);
    double until = Math.min(askedAt, openedUntil + later);
    if (shortest < longest && from < until) {
      openedFrom = from;
      openedUntil = until;
      return;
    }
    if (known && from < askedAt && from - until < LATE_SHARE * period()) {
      // It begins with its first request, after the one before has ended.
      firstFrom += from - until;
      firstUntil += from - until;
      openedFrom = from;
      openedUntil = askedAt;
      return;
    }
    // It was not as thought: what is known of the length starts here.
    surprises++;
    forgetLength();
    firstFrom = since;
    firstUntil = askedAt;
    openedFrom = since;
    openedUntil = askedAt;
  }

  /** Without windows in between, two openings say nothing about their length. */
  void forgetLength() {
    firstFrom = Double.NaN;
    firstUntil = Double.NaN;
    shortest = 0;
    longest = Double.POSITIVE_INFINITY;
    windows = 0;
    unrefused = 0;
    nextTrial = FIRST_TRIAL;
  }

  private double length() {
    return isPeriodKnown() ? period() : 10;
  }

  double rate() {
    return rate;
  }

  /** Lets time pass in a harvest. */
  void tick(double now, Evidence evidence) {
    double usual = Math.max(peak, LEAST_RATE * evidence.unitOrOne());
    if (!isKnown() && rate < usual && now - doubledAt >= DOUBLING_SECONDS) {
      rate = Math.min(2 * rate, usual);
      doubledAt = now;
    }
    if (isPeriodKnown() && isTrial() && isTaken(now, evidence)) {
      rate = Math.min(rate, quota / period());
    }
  }

  /** Whether all that a window holds has been taken from this one. */
  boolean isUsedUp(double now, Evidence evidence) {
    // Without its length, only a refusal distinguishes the next opening from what was left of this
    // window.
    return isKnown() && isPeriodKnown() && !isTrial() && isTaken(now, evidence);
  }

  /** Now and then, more is tried: perhaps the window holds more, or there is none. */
  private boolean isTrial() {
    return unrefused >= nextTrial;
  }

  private boolean isTaken(double now, Evidence evidence) {
    return evidence.accepted(harvestFrom, Math.nextUp(now)) > quota - 0.5 * evidence.unit();
  }

  /**
   * A window was used up without a refusal.
   *
   * @return when the next one may be asked for
   */
  double usedUp(double now) {
    unrefused++;
    dryFrom = now;
    return opensAfter(now);
  }

  /**
   * A harvest has ended with a refusal.
   *
   * @return whether it was as rich as that of a window; else there are none
   */
  boolean ended(double sentAt, Evidence evidence) {
    double unit = evidence.unitOrOne();
    double accepted = evidence.accepted(harvestFrom, sentAt) / unit;
    double dry = Math.max(Math.max(refusedAt - dryFrom, askedWait), 0.5);
    double meagre = MEAGRE_UNITS + MEAGRE * (sentAt - refusedAt) / dry;
    dryFrom = sentAt;
    refusedAt = sentAt;
    nextTrial = isTrial() ? Math.min(2 * nextTrial, RAREST_TRIAL) : nextTrial;
    unrefused = 0;
    if (!isKnown() && accepted < meagre) {
      surprises++;
      forgetLength();
      return false;
    }
    if (isKnown() && accepted * unit < 0.5 * quota) {
      // A window that brings so much less is none.
      surprises++;
      quota = Double.NaN;
      endedAt = Double.NaN;
      forgetLength();
      return false;
    }
    quota = accepted * unit;
    endedAt = sentAt;
    return true;
  }

  /** Whether a harvest has gone on for so long that there is no window. */
  boolean isEndless(double now) {
    return now - harvestFrom > Math.max(30, isPeriodKnown() ? 1.5 * period() : 0);
  }

  @Override
  public String toString() {
    return Double.isNaN(openedUntil)
        ? "no window"
        : "window of %.1f in %.2f-%.2f s, opened %.2f-%.2f"
            .formatted(quota, shortest, longest, openedFrom, openedUntil);
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.BackstopState;

/**
 * Bounds the refusals of a scope, whatever its provider does and whichever source is believed.
 *
 * <p>An episode begins with a refusal. What was sent before that refusal arrived belongs to it, and
 * could not know. When three of those sent afterwards are refused and none is let through, the
 * scope only probes: one request at a time, with gaps that double up to a minute. A request that is
 * let through ends the episode.
 *
 * <p>Over a run, refusals earn their keep: they may be as many as a fixed sum and a share of the
 * attempts. When they are more, nothing is tried out until the attempts have caught up: requests
 * leave below the rate at which they were let through on average.
 */
final class Backstop {

  private static final int FURTHER_REFUSALS = 3;
  private static final double FIRST_GAP_SECONDS = 1;
  private static final double LONGEST_GAP_SECONDS = 60;

  private static final double FREE_REFUSALS = 11;
  private static final double REFUSALS_PER_ATTEMPT = 0.015;
  private static final double LEAST_VOLLEY = 6;
  private static final double MOST_FREE_REFUSALS = 16;
  private static final double MOST_REFUSALS_PER_ATTEMPT = 0.018;
  private static final double ANSWER_SHARE = 0.5;
  private static final double FIRST_REFUSAL_SECONDS = 0.1;
  private static final double LONGEST_GUESS_SECONDS = 0.15;
  private static final double SHORTEST_REFUSAL_SECONDS = 0.01;
  private static final double AVERAGE_SECONDS = 15;
  private static final double LEAST_RATE = 1 / LONGEST_GAP_SECONDS;

  /**
   * Each refusal cuts the pace, and each request raises it a little, so that they balance where the
   * refusals are that share of the attempts: the fastest pace that they can pay for.
   */
  private static final double CUT = 0.92;

  private static final double DEEP_CUT = 0.7;
  private static final double RANDOM_BELOW = 0.9;
  private static final double RANDOM_ATTEMPTS = 20;

  private static final double RAISE = Math.pow(1 / CUT, REFUSALS_PER_ATTEMPT);

  /** While so many more are allowed, the fastest pace is found sooner. */
  private static final double ENOUGH_ROOM = 3;

  private static final double QUICK_RAISE = Math.pow(1 / CUT, 0.06);

  /** A refusal comes faster than an answer; the first guess at how fast. */
  private static final double FIRST_QUIET_SECONDS = 0.6;

  /** Where everything was refused from the start, nothing is known about a pace. */
  private static final double LEAST_FROM = 1;

  private static final double RARE_ATTEMPTS = 50;

  private static final double QUIET = 1.6;
  private static final double LONGEST_QUIET_SECONDS = 3;

  private boolean open;
  private double openedAt;
  private int further;
  private boolean probing;

  /** How many were sent since the episode began. */
  private int sentSince;

  /** Whether its first refusal came after many requests without one. */
  private boolean rare;

  /** Whether anything was ever let through. */
  private boolean answered;

  /** What was let through in a second when the episode began. */
  private double rateBefore;

  /** What was sent before is no probe: its refusals say nothing new. */
  private double probingSince;

  private double gap;
  private double nextAt = Double.NEGATIVE_INFINITY;

  /** The first request that was sent since and may have been let through. */
  private double pendingAt = Double.NaN;

  private double quiet = FIRST_QUIET_SECONDS;

  private double attempts;
  private double refusals;
  private boolean overdrawn;
  private double average;
  private double averagedAt = Double.NaN;
  private double startedAt;

  private double nextByPace = Double.NEGATIVE_INFINITY;
  private double refusalSeconds = FIRST_REFUSAL_SECONDS;

  /** The pace while there are too many refusals. */
  private double slowRate;

  private double slowedAt;
  private double slowFrom;
  private double refusedAfter;

  Backstop() {}

  Backstop(BackstopState state) {
    open = state.open();
    openedAt = state.openedAt();
    further = state.further();
    probing = state.probing();
    sentSince = state.sentSince();
    rare = state.rare();
    answered = state.answered();
    rateBefore = state.rateBefore();
    probingSince = state.probingSince();
    gap = state.gap();
    nextAt = state.nextAt();
    pendingAt = state.pendingAt();
    quiet = state.quiet();
    attempts = state.attempts();
    refusals = state.refusals();
    overdrawn = state.overdrawn();
    average = state.average();
    averagedAt = state.averagedAt();
    startedAt = state.startedAt();
    slowRate = state.slowRate();
    nextByPace = state.nextByPace();
    refusalSeconds = state.refusalSeconds();
    slowedAt = state.slowedAt();
    slowFrom = state.slowFrom();
    refusedAfter = state.refusedAfter();
  }

  BackstopState state() {
    return new BackstopState(
        open,
        openedAt,
        further,
        probing,
        sentSince,
        rare,
        answered,
        rateBefore,
        probingSince,
        gap,
        nextAt,
        pendingAt,
        quiet,
        attempts,
        refusals,
        overdrawn,
        average,
        averagedAt,
        startedAt,
        slowRate,
        nextByPace,
        refusalSeconds,
        slowedAt,
        slowFrom,
        refusedAfter);
  }

  boolean isProbing() {
    return probing;
  }

  /** Time passes: what was sent and not refused by now was let through. */
  void tick(double now) {
    if (open && now - pendingAt > quiet) {
      accepted();
    }
  }

  void sent(double now) {
    attempts++;
    average(now, 1);
    if (open) {
      sentSince++;
      if (Double.isNaN(pendingAt)) {
        pendingAt = now;
      }
    }
    if (probing) {
      nextAt = now + Math.max(gap, quiet * 1.01);
    }
    nextByPace = Math.max(nextByPace, now - 0.5 / pace()) + 1 / pace();
    if (overdrawn) {
      slowRate *= room() > ENOUGH_ROOM ? QUICK_RAISE : RAISE;
      overdrawn = refusals > 0.8 * FREE_REFUSALS + 0.95 * REFUSALS_PER_ATTEMPT * attempts;
    }
  }

  void unsent(double sentAt) {
    attempts--;
    if (open && sentAt >= openedAt) {
      sentSince--;
    }
    nextByPace -= 1 / pace();
    if (pendingAt == sentAt) {
      pendingAt = Double.NaN;
      if (probing) {
        nextAt = sentAt;
      }
    }
  }

  void answered(double now, double sentAt) {
    answered = true;
    if (refusals == 0) {
      // A refusal would have come sooner.
      double likely =
          Math.clamp(
              ANSWER_SHARE * (now - sentAt), SHORTEST_REFUSAL_SECONDS, LONGEST_GUESS_SECONDS);
      refusalSeconds += 0.3 * (likely - refusalSeconds);
    }
    if (open && sentAt >= openedAt) {
      accepted();
    }
  }

  private void accepted() {
    open = false;
    probing = false;
    pendingAt = Double.NaN;
  }

  /**
   * A refusal has arrived.
   *
   * @param probe whether the request was one that asks now and then: its pace is not to blame
   */
  void refused(double now, double sentAt, boolean probe) {
    refusals++;
    average(now, -1);
    refusalSeconds +=
        0.3 * (Math.clamp(now - sentAt, SHORTEST_REFUSAL_SECONDS, 1) - refusalSeconds);
    quiet += 0.3 * (Math.clamp(QUIET * (now - sentAt), 0.1, LONGEST_QUIET_SECONDS) - quiet);
    boolean asked = probe || (probing && sentAt >= probingSince);
    if (!open) {
      open = true;
      openedAt = now;
      sentSince = 0;
      rateBefore = averageRate(now);
      rare = attempts - refusedAfter >= RARE_ATTEMPTS;
      further = 0;
      gap = FIRST_GAP_SECONDS;
    } else if (sentAt >= openedAt) {
      further++;
      if (probing && sentAt >= probingSince) {
        gap = Math.min(2 * gap, LONGEST_GAP_SECONDS);
        nextAt = now + gap;
      } else if (!probing && further >= FURTHER_REFUSALS) {
        probing = true;
        probingSince = now;
        nextAt = now + gap;
      }
    }
    if (pendingAt <= sentAt) {
      pendingAt = Double.NaN;
    }
    if (!overdrawn && refusals > FREE_REFUSALS + REFUSALS_PER_ATTEMPT * attempts) {
      overdrawn = true;
      // While only probes leave, the average is theirs.
      slowFrom = asked ? Math.max(rateBefore, answered ? 0 : LEAST_FROM) : averageRate(now);
      slowSince(now, slowFrom);
    } else if (overdrawn && sentAt > slowedAt && !asked) {
      if (slowRate < RANDOM_BELOW * slowFrom && attempts - refusedAfter >= RANDOM_ATTEMPTS) {
        // At a fraction of the pace they come as rarely as before: they are not about the pace.
        refusals--;
      } else {
        slowSince(now, slowRate);
      }
    }
    refusedAfter = attempts;
    nextByPace = Math.max(nextByPace, now + 1 / pace());
  }

  private void slowSince(double now, double rate) {
    slowRate = Math.max((room() > 0 ? CUT : DEEP_CUT) * rate, LEAST_RATE);
    slowedAt = now;
  }

  /** How many more may be refused before they are too many. */
  private double room() {
    return MOST_FREE_REFUSALS + MOST_REFUSALS_PER_ATTEMPT * attempts - refusals;
  }

  /**
   * The pace that what was refused so far allows. All that is sent until the first refusal arrives
   * may be refused with it, so that must fit the room that is left.
   */
  private double pace() {
    double volley = Math.max(LEAST_VOLLEY, room()) / refusalSeconds;
    return overdrawn ? Math.min(slowRate, volley) : volley;
  }

  /** A refusal has turned out to be a stray one: it does not count. */
  void excuse() {
    refusals = Math.max(0, refusals - 1);
  }

  /** Seconds until the next request may leave. */
  double waitSeconds(double now) {
    double wait = probing ? Math.max(0, nextAt - now) : Math.max(0, undecidedUntil() - now);
    return Math.max(wait, nextByPace - now);
  }

  /** What it allows. */
  Slice.Gate gate() {
    if (probing) {
      return new Slice.Gate(Constraint.PROBE, Dimension.REQUESTS, nextAt, 1 / Math.max(gap, quiet));
    }
    double next = Math.max(nextByPace, undecidedUntil());
    return new Slice.Gate(Constraint.PACE, Dimension.REQUESTS, next, pace());
  }

  /** Until when as many are undecided as may still be refused in this episode. */
  private double undecidedUntil() {
    return open
            && !probing
            && (further > 0 || !rare)
            && sentSince >= FURTHER_REFUSALS
            && !Double.isNaN(pendingAt)
        ? pendingAt + quiet * 1.01
        : Double.NEGATIVE_INFINITY;
  }

  /** What is let through in a second, averaged over {@link #AVERAGE_SECONDS}. */
  private void average(double now, double units) {
    if (Double.isNaN(averagedAt)) {
      startedAt = now;
      averagedAt = now;
    }
    average = average * Math.exp(-(now - averagedAt) / AVERAGE_SECONDS) + units / AVERAGE_SECONDS;
    averagedAt = now;
  }

  /** The average over as much of that time as has passed. */
  private double averageRate(double now) {
    return average / Math.max(0.02, 1 - Math.exp(-(now - startedAt) / AVERAGE_SECONDS));
  }

  @Override
  public String toString() {
    return "%.0f of %.0f refused%s%s"
        .formatted(
            refusals,
            attempts,
            probing ? ", probing" : "",
            overdrawn ? ", slowed to %.3f/s".formatted(slowRate) : "");
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.BackstopState;
import org.jspecify.annotations.Nullable;

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

  private static final double FREE_REFUSALS = 12;
  private static final double REFUSALS_PER_ATTEMPT = 0.015;
  private static final double BELOW_AVERAGE = 0.8;
  private static final double AVERAGE_SECONDS = 60;

  /** However often it is refused, it goes no slower than this share of the whole run's average. */
  private static final double SLOWEST = 0.4;

  private static final double LEAST_RATE = 1 / LONGEST_GAP_SECONDS;
  private static final double RAISE_UNITS = 60;
  private static final double RAISE = 1.1;

  /** A refusal comes faster than an answer; the first guess at how fast. */
  private static final double FIRST_QUIET_SECONDS = 0.6;

  private static final double QUIET = 3;
  private static final double LONGEST_QUIET_SECONDS = 3;

  private boolean open;
  private double openedAt;
  private int further;
  private boolean probing;
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

  /** The pace while there are too many refusals. */
  private double slowRate;

  private double slowNextAt;
  private double slowedAt;
  private double slowUnits;

  Backstop() {}

  Backstop(BackstopState state) {
    open = state.open();
    openedAt = state.openedAt();
    further = state.further();
    probing = state.probing();
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
    slowNextAt = state.slowNextAt();
    slowedAt = state.slowedAt();
    slowUnits = state.slowUnits();
  }

  BackstopState state() {
    return new BackstopState(
        open,
        openedAt,
        further,
        probing,
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
        slowNextAt,
        slowedAt,
        slowUnits);
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
    if (open && Double.isNaN(pendingAt)) {
      pendingAt = now;
    }
    if (probing) {
      nextAt = now + Math.max(gap, quiet * 1.01);
    }
    if (overdrawn) {
      slowNextAt = Math.max(slowNextAt, now - 0.5 / slowRate) + 1 / slowRate;
      slowUnits++;
      if (slowUnits % RAISE_UNITS == 0) {
        // A refusal for each of these is what the attempts pay for.
        slowRate *= RAISE;
      }
      overdrawn = refusals > 0.8 * FREE_REFUSALS + 0.95 * REFUSALS_PER_ATTEMPT * attempts;
    }
  }

  void unsent(double sentAt) {
    attempts--;
    if (pendingAt == sentAt) {
      pendingAt = Double.NaN;
      if (probing) {
        nextAt = sentAt;
      }
    }
  }

  void answered(double sentAt) {
    if (open && sentAt >= openedAt) {
      accepted();
    }
  }

  private void accepted() {
    open = false;
    probing = false;
    pendingAt = Double.NaN;
  }

  /** A refusal has arrived. */
  void refused(double now, double sentAt) {
    refusals++;
    average(now, -1);
    quiet += 0.3 * (Math.clamp(QUIET * (now - sentAt), 0.1, LONGEST_QUIET_SECONDS) - quiet);
    if (!open) {
      open = true;
      openedAt = now;
      further = 0;
      gap = FIRST_GAP_SECONDS;
    } else if (sentAt >= openedAt) {
      further++;
      if (probing) {
        gap = Math.min(2 * gap, LONGEST_GAP_SECONDS);
        nextAt = now + gap;
      } else if (further >= FURTHER_REFUSALS) {
        probing = true;
        nextAt = now + gap;
      }
    }
    if (pendingAt <= sentAt) {
      pendingAt = Double.NaN;
    }
    if (!overdrawn && refusals > FREE_REFUSALS + REFUSALS_PER_ATTEMPT * attempts) {
      overdrawn = true;
      slowSince(now, averageRate(now));
    } else if (overdrawn && sentAt > slowedAt) {
      slowSince(now, Math.min(slowRate, slowUnits / Math.max(now - slowedAt, 1)));
    }
  }

  private void slowSince(double now, double rate) {
    double overall = (attempts - refusals) / Math.max(now - startedAt, 1);
    slowRate = Math.max(BELOW_AVERAGE * rate, Math.max(SLOWEST * overall, LEAST_RATE));
    slowNextAt = now + 1 / slowRate;
    slowedAt = now;
    slowUnits = 0;
  }

  /** A refusal has turned out to be a stray one: it does not count. */
  void excuse() {
    refusals = Math.max(0, refusals - 1);
  }

  /** Seconds until the next request may leave. */
  double waitSeconds(double now) {
    double wait = probing ? Math.max(0, nextAt - now) : 0;
    return overdrawn ? Math.max(wait, slowNextAt - now) : wait;
  }

  /** What it allows, if it bounds anything. */
  Slice.@Nullable Gate gate() {
    if (probing) {
      return new Slice.Gate(Constraint.PROBE, Dimension.REQUESTS, nextAt, 1 / Math.max(gap, quiet));
    }
    return overdrawn
        ? new Slice.Gate(Constraint.PACE, Dimension.REQUESTS, slowNextAt, slowRate)
        : null;
  }

  /** What is let through in a second, on average over a minute. */
  private void average(double now, double units) {
    if (Double.isNaN(averagedAt)) {
      startedAt = now;
      averagedAt = now;
    }
    average = average * Math.exp(-(now - averagedAt) / AVERAGE_SECONDS) + units / AVERAGE_SECONDS;
    averagedAt = now;
  }

  /** The average over as much of the minute as has passed. */
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

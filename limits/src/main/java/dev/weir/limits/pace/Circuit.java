package dev.weir.limits.pace;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.CircuitState;
import org.jspecify.annotations.Nullable;

/**
 * Stops asking a provider that is away, and comes back gently.
 *
 * <pre>
 *   CLOSED ──(4 failures in a row)──> OPEN: one probe every 1, 1.5, 2.3 … 5 s
 *      ^                                │ first answer, even a refusal
 *      └──(above 4,000/s)── RESTART <───┘ 4/s, doubling each second
 * </pre>
 */
final class Circuit {

  private static final int FAILURES_TO_OPEN = 4;
  private static final double FIRST_PROBE_GAP_SECONDS = 1;
  private static final double LONGEST_PROBE_GAP_SECONDS = 5;
  private static final double PROBE_GAP_GROWTH = 1.5;
  private static final double RESTART_RATE = 4;
  private static final double RESTARTED_RATE = 4_000;

  private int failures;
  private boolean open;
  private double probeAt;
  private double probeGap;
  private boolean restarting;
  private double restartedAt;
  private double nextAt;

  Circuit() {}

  Circuit(CircuitState state) {
    this.failures = state.failures();
    this.open = state.open();
    this.probeAt = state.probeAt();
    this.probeGap = state.probeGap();
    this.restarting = state.restarting();
    this.restartedAt = state.restartedAt();
    this.nextAt = state.nextAt();
  }

  CircuitState state() {
    return new CircuitState(failures, open, probeAt, probeGap, restarting, restartedAt, nextAt);
  }

  boolean isOpen() {
    return open;
  }

  /**
   * @return whether this failure opens the circuit
   */
  boolean failed(double now) {
    failures++;
    if (open || failures < FAILURES_TO_OPEN) {
      return false;
    }
    open = true;
    probeGap = FIRST_PROBE_GAP_SECONDS;
    probeAt = now + probeGap;
    return true;
  }

  /**
   * @return whether this answer closes the circuit
   */
  boolean answered(double now) {
    failures = 0;
    if (!open) {
      return false;
    }
    open = false;
    restarting = true;
    restartedAt = now;
    nextAt = now;
    return true;
  }

  /** Seconds until the next request, or the next probe, may leave. */
  double waitSeconds(double now) {
    if (open) {
      return Math.max(0, probeAt - now);
    }
    return isRestarting(now) ? Math.max(0, nextAt - now) : 0;
  }

  /** What it allows, if it bounds anything. */
  Slice.@Nullable Gate gate(double now) {
    if (open) {
      return new Slice.Gate(Constraint.CIRCUIT, Dimension.REQUESTS, probeAt, 1 / probeGap);
    }
    return isRestarting(now)
        ? new Slice.Gate(Constraint.CIRCUIT, Dimension.REQUESTS, nextAt, restartRate(now))
        : null;
  }

  /**
   * @param jitter from 0.8 to 1.2: several processes must not probe together
   */
  void send(double now, double jitter) {
    if (open) {
      probeAt = now + probeGap * jitter;
      probeGap = Math.min(probeGap * PROBE_GAP_GROWTH, LONGEST_PROBE_GAP_SECONDS);
    } else if (isRestarting(now)) {
      nextAt = Math.max(nextAt, now) + 1 / restartRate(now);
    }
  }

  /** A request did not leave: if it was to be a probe, another one may. */
  void unsend(double now) {
    if (open) {
      probeAt = Math.min(probeAt, now);
    } else if (isRestarting(now)) {
      nextAt -= 1 / restartRate(now);
    }
  }

  private boolean isRestarting(double now) {
    return restarting && restartRate(now) <= RESTARTED_RATE;
  }

  private double restartRate(double now) {
    return RESTART_RATE * Math.pow(2, now - restartedAt);
  }
}

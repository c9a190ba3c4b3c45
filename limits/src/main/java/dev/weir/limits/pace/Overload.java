package dev.weir.limits.pace;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.OverloadState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives air to a provider that is full although its limits are kept (529 and its kin).
 *
 * <p>A stray overload says nothing. As a pattern, at least three within ten seconds and more than
 * one in twenty attempts, it halves the pace at which was sent; from there the pace doubles every
 * five seconds. What was learned about the limits stays as it is.
 */
final class Overload {

  private static final double PATTERN_SECONDS = 10;
  private static final int PATTERN_LEAST = 3;
  private static final double PATTERN_SHARE = 0.05;
  private static final double DOUBLING_SECONDS = 5;
  private static final double LEAST_RATE = 0.2;

  /** Bounds the memory of a very fast scope; the share is then judged on fewer seconds. */
  private static final int KEPT = 10_000;

  private final Deque<Double> sent;
  private final Deque<Double> overloaded;
  private boolean slowed;
  private double slowedAt;
  private double slowedRate;
  private double fullRate;
  private double nextAt;

  Overload() {
    this(new OverloadState(List.of(), List.of(), false, 0, 0, 0, 0));
  }

  Overload(OverloadState state) {
    this.sent = new ArrayDeque<>(state.sent());
    this.overloaded = new ArrayDeque<>(state.overloaded());
    this.slowed = state.slowed();
    this.slowedAt = state.slowedAt();
    this.slowedRate = state.slowedRate();
    this.fullRate = state.fullRate();
    this.nextAt = state.nextAt();
  }

  OverloadState state() {
    return new OverloadState(
        List.copyOf(sent), List.copyOf(overloaded), slowed, slowedAt, slowedRate, fullRate, nextAt);
  }

  void send(double now) {
    keep(sent, now);
    if (isSlowed(now)) {
      nextAt = Math.max(nextAt, now) + 1 / rate(now);
    }
  }

  void unsend(double now, double sentAt) {
    sent.removeLastOccurrence(sentAt);
    if (isSlowed(now)) {
      nextAt -= 1 / rate(now);
    }
  }

  void overloaded(double now) {
    keep(overloaded, now);
    forget(sent, now);
    slowed = isSlowed(now);
    boolean pattern =
        overloaded.size() >= PATTERN_LEAST && overloaded.size() > PATTERN_SHARE * sent.size();
    if (!pattern || (slowed && now - slowedAt < DOUBLING_SECONDS)) {
      return;
    }
    double span = sent.isEmpty() ? 1 : Math.max(1, now - sent.getFirst());
    fullRate = slowed ? fullRate : sent.size() / span;
    slowedRate = Math.max(LEAST_RATE, 0.5 * (slowed ? rate(now) : fullRate));
    slowed = true;
    slowedAt = now;
    nextAt = now + 1 / slowedRate;
  }

  /** What it allows, if it bounds anything. */
  Slice.@Nullable Gate gate(double now) {
    return isSlowed(now)
        ? new Slice.Gate(Constraint.OVERLOAD, Dimension.REQUESTS, nextAt, rate(now))
        : null;
  }

  /** Seconds until the next request may leave. */
  double waitSeconds(double now) {
    return isSlowed(now) ? Math.max(0, nextAt - now) : 0;
  }

  private boolean isSlowed(double now) {
    return slowed && rate(now) <= 2 * fullRate;
  }

  private double rate(double now) {
    return slowedRate * Math.pow(2, (now - slowedAt) / DOUBLING_SECONDS);
  }

  private static void keep(Deque<Double> moments, double now) {
    moments.add(now);
    forget(moments, now);
  }

  private static void forget(Deque<Double> moments, double now) {
    while (!moments.isEmpty()
        && (moments.getFirst() < now - PATTERN_SECONDS || moments.size() > KEPT)) {
      moments.removeFirst();
    }
  }
}

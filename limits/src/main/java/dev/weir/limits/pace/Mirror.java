package dev.weir.limits.pace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * A replica of one advertised bucket: what the newest header said remained, plus refill, minus what
 * was sent since.
 *
 * <p>For a bucket that refills continuously, {@code reset = used / refill} (1), so one response
 * tells the refill whatever window is advertised. As {@code remaining} is rounded down, each
 * response gives an interval for it, and intersecting a few of them pins it.
 *
 * <p>Other consumers of the same quota show as a shortfall between what the replica predicted for a
 * request and what its header said. The shortfall is kept signed: clipping it at zero would turn
 * the noise of reordered requests into phantom traffic and starve the run.
 *
 * <p>(1) OpenAI documents reset as the time until the initial state, Anthropic as the moment of
 * full replenishment.
 */
final class Mirror {

  private static final int RATE_OBSERVATIONS = 32;
  private static final int PINNED_AFTER = 6;
  private static final double WINDOW_IF_UNKNOWN_SECONDS = 60;

  /** Bounds that miss each other by more than this mean that the limit has changed. */
  private static final double CONTRADICTION = 1.03;

  private static final double EXTERNAL_SMOOTHING_SECONDS = 5;
  private static final double EXTERNAL_INTERVAL_SECONDS = 1;

  /** External traffic below this share of the refill is taken for noise. */
  private static final double EXTERNAL_NOISE = 0.12;

  /** However much others take, this share of the refill is tried for. */
  private static final double LEAST_SHARE = 0.1;

  private record RateBounds(double lower, double upper) {}

  private record Send(double at, double cost) {}

  private double cap;
  private double rate;
  private double level;
  private double levelAt;
  private double anchorSentAt = Double.NEGATIVE_INFINITY;
  private final Deque<Send> sinceAnchor = new ArrayDeque<>();
  private final Deque<RateBounds> bounds = new ArrayDeque<>();

  // What others take, in units a second, and what we take; both smoothed.
  private double external;
  private double own;
  private boolean comparing;
  private double comparedAt;
  private double comparedLevel;
  private final Deque<Send> sinceCompared = new ArrayDeque<>();

  /** The refill, in units a second; 0 while unknown. */
  double rate() {
    return rate;
  }

  double cap() {
    return cap;
  }

  /** A request that left before the bucket was known, but after the one that made it known. */
  void sentBefore(double at, double cost) {
    sinceAnchor.add(new Send(at, cost));
  }

  /**
   * Takes in what a response said.
   *
   * @param sentAt when the request that carried it was sent
   * @param resetSeconds until the bucket is full; 0 or less if unknown
   * @param windowSeconds of the limit, if nothing better is known; 0 if unknown
   * @param resolution the unit to which {@code remaining} is rounded down
   */
  void header(
      double sentAt,
      double limit,
      double remaining,
      double resetSeconds,
      double windowSeconds,
      double resolution,
      double now) {
    if (cap > 0 && Math.abs(limit - cap) > 0.01 * cap) {
      bounds.clear();
    }
    cap = limit;
    learnRate(limit - remaining, resetSeconds, windowSeconds, resolution);
    if (sentAt > anchorSentAt) {
      compare(sentAt, remaining);
      anchor(sentAt, remaining, now);
    }
  }

  /** Seconds until a request of this cost may leave. */
  double waitSeconds(double now, double cost) {
    if (rate <= 0) {
      return 0;
    }
    advance(now);
    double need = cost + margin();
    double pad = 0;
    if (need > cap) {
      // A tiny bucket: wait for a full one, and a little longer for jitter.
      need = Math.min(cap, Math.max(cost, 0.999 * cap));
      pad = 0.03;
    }
    double wait = (need - level) / net();
    return wait > 1e-9 ? wait + pad : 0;
  }

  void send(double now, double cost) {
    advance(now);
    level -= cost;
    sinceAnchor.add(new Send(now, cost));
    sinceCompared.add(new Send(now, cost));
  }

  /** Takes back a send that consumed nothing: it was refused. */
  void unsend(double sentAt, double cost) {
    var send = new Send(sentAt, cost);
    sinceCompared.removeFirstOccurrence(send);
    if (sinceAnchor.removeFirstOccurrence(send)) {
      level = Math.min(cap > 0 ? cap : Double.MAX_VALUE, level + cost);
    }
  }

  /** Gives back what was reserved and not used. */
  void refund(double now, double amount) {
    advance(now);
    if (cap > 0) {
      level = Math.min(cap, level + amount);
    }
  }

  private void learnRate(
      double used, double resetSeconds, double windowSeconds, double resolution) {
    if (resetSeconds > 0 && used > 0) {
      bounds.add(
          new RateBounds(Math.max(0, used - resolution) / resetSeconds, used / resetSeconds));
      if (bounds.size() > RATE_OBSERVATIONS) {
        bounds.removeFirst();
      }
      if (lower() > CONTRADICTION * upper()) {
        while (bounds.size() > 2) {
          bounds.removeFirst();
        }
      }
      boolean pinned = bounds.size() >= PINNED_AFTER || lower() > 0.9 * upper();
      rate = pinned || lower() <= 0 ? upper() : (lower() + upper()) / 2;
    } else if (rate <= 0) {
      rate = cap / (windowSeconds > 0 ? windowSeconds : WINDOW_IF_UNKNOWN_SECONDS);
    }
  }

  private double lower() {
    return bounds.stream().mapToDouble(RateBounds::lower).max().orElse(0);
  }

  private double upper() {
    return bounds.stream().mapToDouble(RateBounds::upper).min().orElse(0);
  }

  /** Compares what the replica predicted for this very request with what its header says. */
  private void compare(double sentAt, double remaining) {
    if (!comparing) {
      comparing = true;
      comparedAt = sentAt;
      comparedLevel = remaining;
      return;
    }
    double elapsed = sentAt - comparedAt;
    if (elapsed < EXTERNAL_INTERVAL_SECONDS) {
      return;
    }
    double predicted = comparedLevel;
    double at = comparedAt;
    double sent = 0;
    while (!sinceCompared.isEmpty() && sinceCompared.getFirst().at <= sentAt) {
      Send send = sinceCompared.removeFirst();
      if (send.at > comparedAt) {
        predicted = Math.min(cap, predicted + rate * (send.at - at)) - send.cost;
        at = send.at;
        sent += send.cost;
      }
    }
    predicted = Math.min(cap, predicted + rate * (sentAt - at));
    double weight = 1 - Math.exp(-elapsed / EXTERNAL_SMOOTHING_SECONDS);
    own += weight * (sent / elapsed - own);
    if (sent / elapsed < 3 * rate) {
      // While a surplus is spent fast, the noise of reordering dominates.
      external += weight * ((predicted - remaining) / elapsed - external);
    }
    comparedAt = sentAt;
    comparedLevel = remaining;
  }

  private void anchor(double sentAt, double remaining, double now) {
    anchorSentAt = sentAt;
    while (!sinceAnchor.isEmpty() && sinceAnchor.getFirst().at <= sentAt) {
      sinceAnchor.removeFirst();
    }
    double replayed = remaining;
    double at = sentAt;
    double net = net();
    for (Iterator<Send> sends = sinceAnchor.iterator(); sends.hasNext(); ) {
      Send send = sends.next();
      replayed = Math.min(cap, replayed + net * (send.at - at)) - send.cost;
      at = send.at;
    }
    level = Math.min(cap, replayed + net * (now - at));
    levelAt = now;
  }

  /** The refill that others leave to us. */
  private double net() {
    return isShared() ? Math.max(rate - external, LEAST_SHARE * rate) : rate;
  }

  private boolean isShared() {
    return external > EXTERNAL_NOISE * rate;
  }

  private void advance(double now) {
    if (now > levelAt) {
      if (rate > 0) {
        level = Math.min(cap, level + net() * (now - levelAt));
      }
      levelAt = now;
    }
  }

  /** What is left in the bucket for jitter; on a shared quota the larger consumer yields first. */
  private double margin() {
    double margin = Math.max(0.5, 0.02 * cap + 0.015 * rate);
    if (isShared()) {
      margin += 0.25 * Math.min(cap, rate) * Math.min(1, own / rate);
      return Math.min(margin, 0.3 * cap);
    }
    return Math.min(margin, 0.1 * cap);
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.At;
import dev.weir.limits.pace.PaceState.MirrorState;
import dev.weir.limits.pace.PaceState.RateBounds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

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

  /** Bounds the memory while headers stay away; what is older counts as refilled. */
  private static final int SENDS_KEPT = 20_000;

  private double cap;
  private double rate;
  private double level;
  private double levelAt;
  private double anchorSentAt;

  /** Costs at the time at which they were sent. */
  private final Deque<At> sinceAnchor;

  private final Deque<RateBounds> bounds;

  // What others take, in units a second, and what we take; both smoothed.
  private double external;
  private double own;
  private boolean comparing;
  private double comparedAt;
  private double comparedLevel;
  private final Deque<At> sinceCompared;

  Mirror() {
    this(
        new MirrorState(
            0,
            0,
            0,
            0,
            Double.NEGATIVE_INFINITY,
            List.of(),
            List.of(),
            0,
            0,
            false,
            0,
            0,
            List.of()));
  }

  Mirror(MirrorState state) {
    this.cap = state.capacity();
    this.rate = state.rate();
    this.level = state.level();
    this.levelAt = state.levelAt();
    this.anchorSentAt = state.anchorSentAt();
    this.sinceAnchor = new ArrayDeque<>(state.sinceAnchor());
    this.bounds = new ArrayDeque<>(state.bounds());
    this.external = state.external();
    this.own = state.own();
    this.comparing = state.comparing();
    this.comparedAt = state.comparedAt();
    this.comparedLevel = state.comparedLevel();
    this.sinceCompared = new ArrayDeque<>(state.sinceCompared());
  }

  MirrorState state() {
    return new MirrorState(
        cap,
        rate,
        level,
        levelAt,
        anchorSentAt,
        List.copyOf(sinceAnchor),
        List.copyOf(bounds),
        external,
        own,
        comparing,
        comparedAt,
        comparedLevel,
        List.copyOf(sinceCompared));
  }

  /** The refill, in units a second; 0 while unknown. */
  double rate() {
    return rate;
  }

  double cap() {
    return cap;
  }

  /** A request that left before the bucket was known, but after the one that made it known. */
  void sentBefore(double at, double cost) {
    sinceAnchor.add(new At(at, cost));
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
    return Slice.Bucket.waitSeconds(level, net(), cap, margin(), cost);
  }

  Slice.Bucket bucket(Dimension dimension) {
    return new Slice.Bucket(dimension, level, levelAt, net(), cap, margin());
  }

  void send(double now, double cost) {
    advance(now);
    level -= cost;
    var send = new At(now, cost);
    keep(sinceAnchor, send);
    keep(sinceCompared, send);
  }

  /**
   * Takes back a send that consumed nothing: it was refused, or failed, or never left. A header of
   * a later send has counted it already, or not.
   */
  void unsend(double sentAt, double cost) {
    var send = new At(sentAt, cost);
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
      RateBounds known = intersection();
      if (known.lower() > CONTRADICTION * known.upper()) {
        while (bounds.size() > 2) {
          bounds.removeFirst();
        }
        known = intersection();
      }
      boolean pinned = bounds.size() >= PINNED_AFTER || known.lower() > 0.9 * known.upper();
      rate = pinned || known.lower() <= 0 ? known.upper() : (known.lower() + known.upper()) / 2;
    } else if (rate <= 0) {
      rate = cap / (windowSeconds > 0 ? windowSeconds : WINDOW_IF_UNKNOWN_SECONDS);
    }
  }

  /** Empty, with the lower bound above the upper one, if they contradict each other. */
  private RateBounds intersection() {
    double lower = 0;
    double upper = Double.POSITIVE_INFINITY;
    for (RateBounds bound : bounds) {
      lower = Math.max(lower, bound.lower());
      upper = Math.min(upper, bound.upper());
    }
    return new RateBounds(lower, upper);
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
    while (!sinceCompared.isEmpty() && sinceCompared.getFirst().at() <= sentAt) {
      At send = sinceCompared.removeFirst();
      if (send.at() > comparedAt) {
        predicted = Math.min(cap, predicted + rate * (send.at() - at)) - send.value();
        at = send.at();
        sent += send.value();
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
    while (!sinceAnchor.isEmpty() && sinceAnchor.getFirst().at() <= sentAt) {
      sinceAnchor.removeFirst();
    }
    double replayed = remaining;
    double at = sentAt;
    double net = net();
    for (At send : sinceAnchor) {
      replayed = Math.min(cap, replayed + net * (send.at() - at)) - send.value();
      at = send.at();
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

  private static void keep(Deque<At> sends, At send) {
    sends.add(send);
    if (sends.size() > SENDS_KEPT) {
      sends.removeFirst();
    }
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

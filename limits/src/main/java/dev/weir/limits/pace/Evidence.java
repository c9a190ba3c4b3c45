package dev.weir.limits.pace;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What was sent and what of it was refused, as proof about one limit.
 *
 * <p>A refusal proves that the provider's bucket was empty when that request was sent: a mark. Over
 * an interval that starts at a mark, accepted / elapsed is at most the refill; if it also ends at
 * one, and nothing overflowed in between, it is the refill.
 */
final class Evidence {

  private static final int RATES_KEPT = 8;

  /** A proof that the bucket was empty: when, and how much had been sent before. */
  record Mark(double at, double sentBefore) {}

  /** The pace at which something was sent. */
  private record PacedAt(double at, double rate) {}

  /** What was accepted between the last proof of emptiness and another moment. */
  record Interval(double seconds, double accepted) {
    double rate() {
      return accepted / seconds;
    }
  }

  private double sentUnits;
  private double unit;
  private double firstSentAt = Double.NaN;
  private @Nullable Mark mark;
  private final SendLog log = new SendLog();
  private final Deque<PacedAt> paced = new ArrayDeque<>();

  /**
   * @return how much had been sent before
   */
  double sent(double now, double cost) {
    if (Double.isNaN(firstSentAt)) {
      firstSentAt = now;
    }
    double before = sentUnits;
    sentUnits += cost;
    unit = unit == 0 ? cost : unit + 0.05 * (cost - unit);
    log.sent(now, cost);
    return before;
  }

  /** What was sent last left at this pace. */
  void paced(double now, double rate) {
    paced.add(new PacedAt(now, rate));
    if (paced.size() > RATES_KEPT) {
      paced.removeFirst();
    }
  }

  /** Gives back what was reserved and not used. */
  void refund(double amount) {
    sentUnits -= amount;
  }

  void refused(double sentAt, double cost) {
    log.refused(sentAt, cost);
  }

  boolean isEmpty() {
    return Double.isNaN(firstSentAt);
  }

  double sentUnits() {
    return sentUnits;
  }

  /** What a request usually costs; 0 while nothing was sent. */
  double unit() {
    return unit;
  }

  double unitOrOne() {
    return unit == 0 ? 1 : unit;
  }

  /** A cost to go by if nothing is known yet. */
  void assumeUnit(double cost) {
    if (unit == 0) {
      unit = cost;
    }
  }

  @Nullable Mark mark() {
    return mark;
  }

  void mark(double at, double sentBefore) {
    mark = new Mark(at, sentBefore);
  }

  /** Of several refusals of one episode, the last one sent starts the next interval. */
  void markIfLater(double at, double sentBefore) {
    if (mark == null || at > mark.at) {
      mark(at, sentBefore);
    }
  }

  void forgetMark() {
    mark = null;
  }

  /** The interval from the last mark to a refused request; null if there is no mark. */
  @Nullable Interval sinceMark(double sentAt, double sentBefore) {
    if (mark == null) {
      return null;
    }
    // The mark's own request stays in: it was refused at the very start of the interval.
    double accepted =
        sentBefore - mark.sentBefore - log.refusedWithin(Math.nextUp(mark.at), sentAt);
    return new Interval(Math.max(sentAt - mark.at, 1e-3), accepted);
  }

  /** Units sent since the mark's moment and not refused. */
  double acceptedSince(Mark since, double sentAt) {
    return sentUnits - since.sentBefore - log.refusedWithin(since.at, sentAt);
  }

  double sentSince(double moment) {
    return log.sentSince(moment);
  }

  /** Units sent in the last two seconds and not refused, as a rate. */
  double recentRate(double sentAt) {
    return log.accepted(sentAt - 2, sentAt) / 2;
  }

  /**
   * An upper bound of the refill from a ramp. Only the part of it that was draining the bucket
   * bounds the refill from above: the average over the whole does not, because the bucket
   * overflowed early in it.
   */
  double boundOfRamp(double sentAt, double raisedAt, double cost) {
    double from = Math.max(firstSentAt, Math.min(raisedAt - 1, sentAt - 1));
    return Math.max(log.accepted(from, sentAt), cost) / Math.max(sentAt - from, 0.25);
  }

  /** The rate at which was sent just before the refused request. */
  double rateBefore(double sentAt, double current) {
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
}

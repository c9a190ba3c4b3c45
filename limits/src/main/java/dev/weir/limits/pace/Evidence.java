package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.At;
import dev.weir.limits.pace.PaceState.EvidenceState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
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

  /** What was accepted between the last proof of emptiness and another moment. */
  record Interval(double seconds, double accepted) {
    double rate() {
      return accepted / seconds;
    }
  }

  private double sentUnits;
  private double unit;
  private double firstSentAt;

  /** A proof that the bucket was empty: when, and how much had been sent before. */
  private @Nullable At mark;

  private final SendLog log;

  /** The pace at which was sent. */
  private final Deque<At> paced;

  Evidence() {
    this(new EvidenceState(0, 0, Double.NaN, Optional.empty(), List.of(), List.of(), List.of()));
  }

  Evidence(EvidenceState state) {
    this.sentUnits = state.sentUnits();
    this.unit = state.unit();
    this.firstSentAt = state.firstSentAt();
    this.mark = state.mark().orElse(null);
    this.log = new SendLog(state.sends(), state.refusals());
    this.paced = new ArrayDeque<>(state.paced());
  }

  EvidenceState state() {
    return new EvidenceState(
        sentUnits,
        unit,
        firstSentAt,
        Optional.ofNullable(mark),
        log.sends(),
        log.refusals(),
        List.copyOf(paced));
  }

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
    paced.add(new At(now, rate));
    if (paced.size() > RATES_KEPT) {
      paced.removeFirst();
    }
  }

  /** Gives back what was reserved and not used. */
  void refund(double amount) {
    sentUnits -= amount;
  }

  /** Takes back what has consumed nothing. */
  void unsend(double sentAt, double cost) {
    sentUnits -= cost;
    log.unsend(sentAt, cost);
    if (firstSentAt == sentAt && sentUnits < 0.5 * cost) {
      // It was the first and only one.
      sentUnits = 0;
      unit = 0;
      firstSentAt = Double.NaN;
    }
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

  @Nullable At mark() {
    return mark;
  }

  void mark(double at, double sentBefore) {
    mark = new At(at, sentBefore);
  }

  /** Of several refusals of one episode, the last one sent starts the next interval. */
  void markIfLater(double at, double sentBefore) {
    if (mark == null || at > mark.at()) {
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
    double accepted = sentBefore - mark.value() - log.refusedWithin(Math.nextUp(mark.at()), sentAt);
    return new Interval(Math.max(sentAt - mark.at(), 1e-3), accepted);
  }

  /** Units sent since the mark's moment and not refused. */
  double acceptedSince(At since, double sentAt) {
    return sentUnits - since.value() - log.refusedWithin(since.at(), sentAt);
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
    for (At pacedAt : paced) {
      if (pacedAt.at() < sentAt) {
        lastButOne = last;
        last = pacedAt.value();
      }
    }
    double before = Double.isNaN(lastButOne) ? last : lastButOne;
    return Double.isNaN(before) ? current : Math.min(before, current);
  }
}

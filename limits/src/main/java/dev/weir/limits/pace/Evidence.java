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

  /** What was accepted and refused between the last proof of emptiness and another moment. */
  record Interval(double seconds, double accepted, double refused) {
    double rate() {
      return accepted / seconds;
    }
  }

  private static final int MARKS_KEPT = 12;
  private static final double MARKS_KEPT_SECONDS = 40;
  private static final double MARKS_APART_SECONDS = 1;
  private static final double SUSTAINED_SECONDS = 5;
  private static final double AVERAGE_SECONDS = 60;
  private static final double SHORTEST_AVERAGE_SECONDS = 10;

  private double sentUnits;
  private double unit;
  private double firstSentAt;

  /** When it was first proven to be empty; NaN if it never was. */
  private double firstEmptyAt;

  /** A proof that the bucket was empty: when, and how much had been sent before. */
  private @Nullable At mark;

  /** The mark is no such proof, but the opposite. */
  private boolean markFull;

  /** When else it was proven to be empty, oldest first. */
  private final Deque<Double> emptyAt;

  /** All that was sent, without what was refused. */
  private final SendTotals totals;

  private final SendLog log;

  Evidence() {
    this(
        new EvidenceState(
            0,
            0,
            Double.NaN,
            Double.NaN,
            Optional.empty(),
            false,
            List.of(),
            List.of(),
            List.of(),
            List.of()));
  }

  Evidence(EvidenceState state) {
    this.sentUnits = state.sentUnits();
    this.unit = state.unit();
    this.firstSentAt = state.firstSentAt();
    this.firstEmptyAt = state.firstEmptyAt();
    this.mark = state.mark().orElse(null);
    this.markFull = state.markFull();
    this.emptyAt = new ArrayDeque<>(state.emptyAt());
    this.totals = new SendTotals(state.totals());
    this.log = new SendLog(state.sends(), state.refusals());
  }

  EvidenceState state() {
    return new EvidenceState(
        sentUnits,
        unit,
        firstSentAt,
        firstEmptyAt,
        Optional.ofNullable(mark),
        markFull,
        List.copyOf(emptyAt),
        totals.state(),
        log.sends(),
        log.refusals());
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
    totals.add(now, cost);
    return before;
  }

  /** Gives back what was reserved and not used. */
  void refund(double now, double amount) {
    sentUnits -= amount;
    totals.add(now, -amount);
  }

  /** Takes back what has consumed nothing. */
  void unsend(double sentAt, double cost) {
    sentUnits -= cost;
    log.unsend(sentAt, cost);
    totals.remove(sentAt);
    if (firstSentAt == sentAt && sentUnits < 0.5 * cost) {
      // It was the first and only one.
      sentUnits = 0;
      unit = 0;
      firstSentAt = Double.NaN;
    }
  }

  void refused(double sentAt, double cost) {
    log.refused(sentAt, cost);
    totals.giveBack(sentAt, cost);
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
    markFull = false;
    firstEmptyAt = Double.isNaN(firstEmptyAt) ? at : firstEmptyAt;
    if (emptyAt.isEmpty() || at - emptyAt.getLast() >= MARKS_APART_SECONDS) {
      emptyAt.add(at);
    }
    while (emptyAt.size() > MARKS_KEPT || emptyAt.getFirst() < at - MARKS_KEPT_SECONDS) {
      emptyAt.removeFirst();
    }
  }

  /**
   * What was let through in a second over seconds that began with an empty bucket: it refills at
   * least as fast. 0 if there was no such time.
   */
  double sustained(double until) {
    double sustained = 0;
    for (double from : emptyAt) {
      if (until - from >= SUSTAINED_SECONDS) {
        sustained = Math.max(sustained, accepted(Math.nextUp(from), until) / (until - from));
      }
    }
    return sustained;
  }

  /** The limit has changed: what it was says nothing about what it is. */
  void forgetSustained() {
    emptyAt.clear();
  }

  /** From here on it counts, and the bucket may be as full as it gets. */
  void markFull(double at) {
    mark = new At(at, sentUnits);
    markFull = true;
  }

  boolean isMarkFull() {
    return markFull;
  }

  SendTotals totals() {
    return totals;
  }

  double firstSentAt() {
    return firstSentAt;
  }

  void forgetMark() {
    mark = null;
    emptyAt.clear();
  }

  /** The interval from the last mark to a refused request; null if there is no mark. */
  @Nullable Interval sinceMark(double sentAt, double sentBefore) {
    if (mark == null) {
      return null;
    }
    double refused = log.refusedWithin(mark.at(), sentAt);
    double accepted = sentBefore - mark.value() - refused;
    return new Interval(Math.max(sentAt - mark.at(), 1e-3), accepted, refused);
  }

  /** Units sent from a moment on and before another, and not refused as far as is known. */
  double accepted(double from, double until) {
    return totals.upTo(Math.nextDown(until)) - totals.upTo(Math.nextDown(from));
  }

  /** Seconds between the mark and the next send; 0 if there is no mark, or none was sent since. */
  double pauseAfterMark() {
    if (mark == null) {
      return 0;
    }
    double next = totals.nextAfter(mark.at());
    return Double.isNaN(next) ? 0 : next - mark.at();
  }

  /** The fastest that so many units or more were let through since the mark and up to a send. */
  double fastestUntil(double sentAt, double units) {
    return mark == null ? 0 : totals.fastest(mark.at(), sentAt, units);
  }

  double sentSince(double moment) {
    return log.sentSince(moment);
  }

  /**
   * What was let through in a second since the bucket was first empty, over a minute at most; 0 if
   * that is not long ago.
   */
  double average(double until) {
    double seconds = Math.min(until - firstEmptyAt, AVERAGE_SECONDS);
    return seconds >= SHORTEST_AVERAGE_SECONDS
        ? accepted(Math.nextUp(until - seconds), Math.nextUp(until)) / seconds
        : 0;
  }

  /** Units sent in the last two seconds and not refused, as a rate. */
  double recentRate(double sentAt) {
    return log.accepted(sentAt - 2, sentAt) / 2;
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.At;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** What was sent lately, and what of it was refused. */
final class SendLog {

  private static final double SENDS_KEPT_SECONDS = 5;

  /** Kept however old they are: a slow scope has few. */
  private static final int SENDS_KEPT_AT_LEAST = 32;

  /** Bounds the memory of a very fast scope; the newest sends say enough. */
  private static final int SENDS_KEPT = 20_000;

  private static final int REFUSALS_KEPT = 400;

  /** Costs at the time at which they were sent. */
  private final Deque<At> sends;

  private final Deque<At> refused;

  SendLog(List<At> sends, List<At> refused) {
    this.sends = new ArrayDeque<>(sends);
    this.refused = new ArrayDeque<>(refused);
  }

  List<At> sends() {
    return List.copyOf(sends);
  }

  List<At> refusals() {
    return List.copyOf(refused);
  }

  void sent(double now, double cost) {
    sends.add(new At(now, cost));
    while ((sends.getFirst().at() < now - SENDS_KEPT_SECONDS && sends.size() > SENDS_KEPT_AT_LEAST)
        || sends.size() > SENDS_KEPT) {
      sends.removeFirst();
    }
  }

  void unsend(double sentAt, double cost) {
    sends.removeLastOccurrence(new At(sentAt, cost));
  }

  void refused(double sentAt, double cost) {
    refused.add(new At(sentAt, cost));
    if (refused.size() > REFUSALS_KEPT) {
      refused.removeFirst();
    }
  }

  double sentSince(double moment) {
    return within(sends, moment, Double.POSITIVE_INFINITY);
  }

  /** Units sent in the interval and not refused, as far as is known. */
  double accepted(double from, double until) {
    return within(sends, from, until) - refusedWithin(from, until);
  }

  double refusedWithin(double from, double until) {
    return within(refused, from, until);
  }

  private static double within(Deque<At> log, double from, double until) {
    double sum = 0;
    for (At send : log) {
      if (send.at() >= from && send.at() < until) {
        sum += send.value();
      }
    }
    return sum;
  }
}

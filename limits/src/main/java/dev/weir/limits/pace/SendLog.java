package dev.weir.limits.pace;

import java.util.ArrayDeque;
import java.util.Deque;

/** What was sent lately, and what of it was refused. */
final class SendLog {

  private static final double SENDS_KEPT_SECONDS = 5;
  private static final int REFUSALS_KEPT = 400;

  private record Send(double at, double cost) {}

  private final Deque<Send> sends = new ArrayDeque<>();
  private final Deque<Send> refused = new ArrayDeque<>();

  void sent(double now, double cost) {
    sends.add(new Send(now, cost));
    while (sends.getFirst().at < now - SENDS_KEPT_SECONDS) {
      sends.removeFirst();
    }
  }

  void refused(double sentAt, double cost) {
    refused.add(new Send(sentAt, cost));
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

  private static double within(Deque<Send> log, double from, double until) {
    double sum = 0;
    for (Send send : log) {
      if (send.at >= from && send.at < until) {
        sum += send.cost;
      }
    }
    return sum;
  }
}

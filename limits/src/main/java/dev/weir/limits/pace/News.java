package dev.weir.limits.pace;

import dev.weir.limits.event.LimitEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** What has happened and was not yet told; if nobody asks, the oldest is dropped. */
final class News {

  private static final int KEPT = 256;

  /** A rate that moves by less is the same rate. */
  private static final double SAME_RATE = 0.05;

  private final Deque<LimitEvent> events;

  News(List<LimitEvent> events) {
    this.events = new ArrayDeque<>(events);
  }

  void add(LimitEvent event) {
    events.add(event);
    if (events.size() > KEPT) {
      events.removeFirst();
    }
  }

  /** Whether a rate differs enough from the one that was last made known, 0 if none was. */
  static boolean isNew(double rate, double announced) {
    return rate > 0 && Double.isFinite(rate) && Math.abs(rate - announced) > SAME_RATE * announced;
  }

  List<LimitEvent> events() {
    return List.copyOf(events);
  }

  List<LimitEvent> drain() {
    if (events.isEmpty()) {
      return List.of();
    }
    List<LimitEvent> drained = List.copyOf(events);
    events.clear();
    return drained;
  }
}

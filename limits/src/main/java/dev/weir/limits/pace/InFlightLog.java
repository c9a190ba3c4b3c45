package dev.weir.limits.pace;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Who was sent when, with how many others under way: the evidence for a concurrency cap. */
final class InFlightLog {

  private static final double KEPT_SECONDS = 60;

  /** Bounds the memory of a very fast scope; the newest sends say enough. */
  private static final int KEPT = 20_000;

  /** Answers of the last moments are still to come: they would count as accepted. */
  private static final double UNDECIDED_SECONDS = 0.4;

  /** One send; it counts as accepted until it is known to have been refused. */
  static final class Entry {
    final double sentAt;
    final Cost cost;
    final int inFlightBefore;
    private boolean refused;

    Entry(double sentAt, Cost cost, int inFlightBefore) {
      this.sentAt = sentAt;
      this.cost = cost;
      this.inFlightBefore = inFlightBefore;
    }

    boolean isRefused() {
      return refused;
    }

    void refuse() {
      refused = true;
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();

  Entry add(double now, Cost cost, int inFlightBefore) {
    while (!entries.isEmpty()
        && (entries.getFirst().sentAt < now - KEPT_SECONDS || entries.size() >= KEPT)) {
      entries.removeFirst();
    }
    var entry = new Entry(now, cost, inFlightBefore);
    entries.add(entry);
    return entry;
  }

  /** Those sent after a moment, oldest first. */
  Iterable<Entry> sentAfter(double moment) {
    return entries.stream().filter(entry -> entry.sentAt > moment).toList();
  }

  /** How many were in flight when each accepted request was sent, sorted. */
  int[] acceptedInFlight(double now) {
    int[] values =
        entries.stream()
            .filter(entry -> !entry.refused && now - entry.sentAt > UNDECIDED_SECONDS)
            .mapToInt(entry -> entry.inFlightBefore)
            .toArray();
    Arrays.sort(values);
    return values;
  }
}

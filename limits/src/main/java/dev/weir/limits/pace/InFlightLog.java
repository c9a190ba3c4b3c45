package dev.weir.limits.pace;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;

/** Who was sent when, with how many others under way: the evidence for a concurrency cap. */
final class InFlightLog {

  private static final double KEPT_SECONDS = 60;

  /** Bounds the memory of a very fast scope; the newest sends say enough. */
  private static final int KEPT = 20_000;

  /** Answers of the last moments are still to come: they would count as accepted. */
  private static final double UNDECIDED_SECONDS = 0.4;

  /** Messages differ by less in how long they take. */
  private static final double OVERTAKEN_SECONDS = 0.2;

  private final Deque<Sending> sent = new ArrayDeque<>();

  void add(Sending sending) {
    while (!sent.isEmpty()
        && (sent.getFirst().at < sending.at - KEPT_SECONDS || sent.size() >= KEPT)) {
      sent.removeFirst();
    }
    sent.add(sending);
  }

  void remove(Sending sending) {
    sent.removeLastOccurrence(sending);
  }

  /** Oldest first. */
  Iterable<Sending> sent() {
    return sent;
  }

  /** Whether a request that was sent soon after this one may have arrived before it. */
  boolean isOvertaken(Sending sending) {
    for (Iterator<Sending> newest = sent.descendingIterator(); newest.hasNext(); ) {
      Sending other = newest.next();
      if (other == sending || other.at < sending.at) {
        return false;
      }
      if (other.at < sending.at + OVERTAKEN_SECONDS) {
        return true;
      }
    }
    return false;
  }

  /** How many left in a second, over the last minute at most. */
  double perSecond(double now) {
    if (sent.isEmpty()) {
      return 0;
    }
    return sent.size() / Math.max(1, now - sent.getFirst().at);
  }

  /** How many were in flight when each accepted request was sent, sorted. */
  int[] acceptedInFlight(double now) {
    int[] values = new int[sent.size()];
    int count = 0;
    for (Sending sending : sent) {
      if (!sending.refused && now - sending.at > UNDECIDED_SECONDS) {
        values[count++] = sending.inFlightBefore;
      }
    }
    int[] accepted = Arrays.copyOf(values, count);
    Arrays.sort(accepted);
    return accepted;
  }
}

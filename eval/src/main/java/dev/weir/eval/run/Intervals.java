package dev.weir.eval.run;

import java.util.Map;
import java.util.TreeMap;

/** Stretches of time whose union is measured: what overlaps counts once. Not thread-safe. */
final class Intervals {

  // Disjoint, by their begin.
  private final TreeMap<Long, Long> ends = new TreeMap<>();
  private long total;

  void add(long begin, long end) {
    if (end <= begin) {
      return;
    }
    long from = begin;
    long until = end;
    Map.Entry<Long, Long> before = ends.floorEntry(begin);
    if (before != null && before.getValue() >= begin) {
      from = before.getKey();
      until = Math.max(until, before.getValue());
      remove(before);
    }
    for (Map.Entry<Long, Long> next = ends.ceilingEntry(from);
        next != null && next.getKey() <= until;
        next = ends.ceilingEntry(from)) {
      until = Math.max(until, next.getValue());
      remove(next);
    }
    ends.put(from, until);
    total += until - from;
  }

  private void remove(Map.Entry<Long, Long> interval) {
    ends.remove(interval.getKey());
    total -= interval.getValue() - interval.getKey();
  }

  /** The length of the union. */
  long total() {
    return total;
  }

  /** The length of the union with one more stretch, which is not added. */
  long totalWith(long begin, long end) {
    long covered = 0;
    Map.Entry<Long, Long> before = ends.floorEntry(begin);
    long from = before == null ? begin : before.getKey();
    for (Map.Entry<Long, Long> known : ends.subMap(from, Math.max(from, end)).entrySet()) {
      covered += Math.max(0, Math.min(end, known.getValue()) - Math.max(begin, known.getKey()));
    }
    return total + Math.max(0, end - begin) - covered;
  }
}

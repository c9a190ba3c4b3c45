package dev.weir.telemetry;

import java.time.Duration;
import java.util.Arrays;

/**
 * A whole number that changes now and then, over the last hour: of each slot of 5 s the highest
 * value and the mean over time. What it says does not depend on when or how often it is read. Not
 * thread-safe.
 */
final class LevelRing {

  static final Duration SLOT = Duration.ofSeconds(5);
  static final int SLOTS = 720;

  private static final long SLOT_NANOS = SLOT.toNanos();

  /** Complete slots, and the running one. */
  private static final int LENGTH = SLOTS + 1;

  private final long start;
  private final int[] peaks = new int[LENGTH];
  // Level × nanoseconds.
  private final long[] areas = new long[LENGTH];
  // The number of the running slot, from 0.
  private long slot;
  private long at;
  private int level;

  LevelRing(long now) {
    this.start = now;
    this.at = now;
  }

  void set(long now, int newLevel) {
    advance(now);
    level = newLevel;
    int running = index(slot);
    peaks[running] = Math.max(peaks[running], level);
  }

  /** The highest value of the time span that ends now, rounded up to whole slots. */
  int peak(long now, Duration span) {
    advance(now);
    long first = Math.max(0, slot - Math.min(SLOTS, Math.ceilDiv(span.toNanos(), SLOT_NANOS)));
    int highest = 0;
    for (long each = first; each <= slot; each++) {
      highest = Math.max(highest, peaks[index(each)]);
    }
    return highest;
  }

  /** The mean of the last complete slot; of the running one, if it is the first. */
  double mean(long now) {
    advance(now);
    if (slot > 0) {
      return (double) areas[index(slot - 1)] / SLOT_NANOS;
    }
    return at == start ? level : (double) areas[0] / (at - start);
  }

  /** The means of complete slots, oldest first; at most so many. */
  double[] means(long now, int most) {
    advance(now);
    int count = (int) Math.min(most, Math.min(SLOTS, slot));
    var means = new double[count];
    Arrays.setAll(means, i -> (double) areas[index(slot - count + i)] / SLOT_NANOS);
    return means;
  }

  /** The highest values of complete slots, oldest first; at most so many. */
  double[] peaks(long now, int most) {
    advance(now);
    int count = (int) Math.min(most, Math.min(SLOTS, slot));
    var highest = new double[count];
    Arrays.setAll(highest, i -> peaks[index(slot - count + i)]);
    return highest;
  }

  private void advance(long now) {
    // Events of several threads may come out of order by a little.
    long until = Math.max(now, at);
    long last = (until - start) / SLOT_NANOS;
    if (last - slot > LENGTH) {
      // All that would be written before would be overwritten.
      slot = last - LENGTH;
      at = Math.max(at, start + slot * SLOT_NANOS);
    }
    while (slot < last) {
      long end = start + (slot + 1) * SLOT_NANOS;
      areas[index(slot)] += level * (end - at);
      at = end;
      slot++;
      peaks[index(slot)] = level;
      areas[index(slot)] = 0;
    }
    areas[index(slot)] += level * (until - at);
    at = until;
  }

  private static int index(long slot) {
    return (int) (slot % LENGTH);
  }
}

package dev.weir.telemetry;

import java.util.Arrays;

/**
 * How much of something was used within a minute, over the last hour, in the slots of a {@link
 * LevelRing}. Not thread-safe.
 */
final class AmountRing {

  private static final long SLOT_NANOS = LevelRing.SLOT.toNanos();
  private static final int SLOTS_OF_A_MINUTE = (int) (60_000_000_000L / SLOT_NANOS);
  private static final int LENGTH = LevelRing.SLOTS + SLOTS_OF_A_MINUTE;

  private final long start;
  private final long[] amounts = new long[LENGTH];
  private long slot;

  AmountRing(long now) {
    this.start = now;
  }

  void add(long now, long amount) {
    advance(now);
    amounts[index(slot)] += amount;
  }

  /** Used within the last minute: in the running slot and the eleven before it. */
  long perMinute(long now) {
    advance(now);
    return minuteUntil(slot);
  }

  /** The most used within a minute that ended in one of so many slots, or in the running one. */
  long peak(long now, int slots) {
    advance(now);
    long highest = 0;
    for (long each = Math.max(0, slot - slots); each <= slot; each++) {
      highest = Math.max(highest, minuteUntil(each));
    }
    return highest;
  }

  /** Used within the minute that ended with each complete slot, oldest first; at most so many. */
  double[] minutes(long now, int most) {
    advance(now);
    int count = (int) Math.min(most, Math.min(LevelRing.SLOTS, slot));
    var minutes = new double[count];
    Arrays.setAll(minutes, i -> minuteUntil(slot - count + i));
    return minutes;
  }

  private long minuteUntil(long last) {
    long sum = 0;
    for (long each = Math.max(0, last - SLOTS_OF_A_MINUTE + 1); each <= last; each++) {
      // The oldest are forgotten.
      sum += each > slot - LENGTH ? amounts[index(each)] : 0;
    }
    return sum;
  }

  private void advance(long now) {
    long last = Math.max(slot, (now - start) / SLOT_NANOS);
    if (last - slot > LENGTH) {
      slot = last - LENGTH;
    }
    while (slot < last) {
      slot++;
      amounts[index(slot)] = 0;
    }
  }

  private static int index(long slot) {
    return (int) (slot % LENGTH);
  }
}

package dev.weir.simulator.provider;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Times at which something happened, in order, in nanoseconds. Not thread-safe. */
public final class TimeSeries {

  private long[] times = new long[64];
  private int size;

  void add(long nanos) {
    if (size == times.length) {
      times = Arrays.copyOf(times, size * 2);
    }
    times[size++] = nanos;
  }

  /** Forgets the times before the given one. */
  void forgetBefore(long nanos) {
    int forgotten = indexOf(nanos);
    // Moving is paid for by what was forgotten.
    if (forgotten > size / 2) {
      times = Arrays.copyOfRange(times, forgotten, Math.max(size, forgotten + 64));
      size -= forgotten;
    }
  }

  public int size() {
    return size;
  }

  public long at(int index) {
    if (index >= size) {
      throw new IndexOutOfBoundsException("`index` must be < " + size + ", was " + index);
    }
    return times[index];
  }

  /** How many lie in the interval, its end excluded. */
  public int countBetween(long from, long until) {
    return Math.max(0, indexOf(until) - indexOf(from));
  }

  public LongStream stream() {
    return Arrays.stream(times, 0, size);
  }

  /** The number of times before the given one. */
  int indexOf(long nanos) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (times[middle] < nanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

package dev.weir.limits;

import java.time.Duration;
import java.util.Arrays;

/**
 * How long a request may stay silent before its attempt is taken to hang: a multiple of the latency
 * that nearly all answers of its kind had.
 *
 * <p>It remembers the latest {@value #WINDOW} latencies. A plain object: no clock, no lock.
 */
final class HangBound {

  static final int FEWEST_ANSWERS = 20;
  static final int WINDOW = 1_000;

  private static final double PERCENTILE = 0.99;
  private static final int MULTIPLE = 5;

  /** Until enough answers are known; and the least where a model reasons before it answers. */
  private static final Duration UNKNOWN = Duration.ofMinutes(10);

  private static final Duration LEAST = Duration.ofSeconds(60);

  /**
   * Abandoned attempts are observations, too, so where more than 1 % of all requests hang again and
   * again, each would raise the bound of the next. What is slower gets its time from its own
   * doublings.
   */
  private static final Duration MOST = Duration.ofHours(1);

  private static final int MOST_DOUBLINGS = 20;

  private final long leastNanos;
  // In the order in which they came; the oldest is overwritten.
  private long[] latest = new long[FEWEST_ANSWERS];
  // The same, sorted.
  private long[] sorted = new long[FEWEST_ANSWERS];
  private int size;
  private int next;

  /**
   * @param reasons whether the model may think for minutes before it says a word
   */
  HangBound(boolean reasons) {
    this.leastNanos = (reasons ? UNKNOWN : LEAST).toNanos();
  }

  /**
   * An attempt took so long: it was answered, or abandoned then, and would have taken longer.
   *
   * @param nanos its latency, or the least that it can have been
   */
  void took(long nanos) {
    if (size == WINDOW) {
      removeSorted(latest[next]);
    } else if (size == latest.length) {
      int room = Math.min(WINDOW, 2 * size);
      latest = Arrays.copyOf(latest, room);
      sorted = Arrays.copyOf(sorted, room);
    }
    addSorted(nanos);
    latest[next] = nanos;
    next = (next + 1) % WINDOW;
  }

  /**
   * A request that was abandoned has been answered sooner: it was not slow, but hung.
   *
   * @param abandoned after how long, as it was {@linkplain #took told}
   * @param nanos how long its answer took
   */
  void correct(long abandoned, long nanos) {
    for (int i = 0; i < size; i++) {
      if (latest[i] == abandoned) {
        latest[i] = nanos;
        removeSorted(abandoned);
        addSorted(nanos);
        return;
      }
    }
  }

  private void addSorted(long nanos) {
    int found = Arrays.binarySearch(sorted, 0, size, nanos);
    int place = found < 0 ? -found - 1 : found;
    System.arraycopy(sorted, place, sorted, place + 1, size - place);
    sorted[place] = nanos;
    size++;
  }

  private void removeSorted(long nanos) {
    int place = Arrays.binarySearch(sorted, 0, size, nanos);
    System.arraycopy(sorted, place + 1, sorted, place, size - place - 1);
    size--;
  }

  /** The bound at this moment, of a request that was never abandoned. */
  long nanos() {
    return nanos(0);
  }

  /**
   * The bound at this moment.
   *
   * @param abandoned attempts of the request that were abandoned: each doubles its bound
   */
  long nanos(int abandoned) {
    return base() << Math.min(abandoned, MOST_DOUBLINGS);
  }

  private long base() {
    if (size < FEWEST_ANSWERS) {
      return UNKNOWN.toNanos();
    }
    long slow = sorted[(int) Math.ceil(PERCENTILE * size) - 1];
    return Math.clamp(MULTIPLE * slow, leastNanos, MOST.toNanos());
  }
}

package dev.weir.eval.run;

/**
 * How much there was of something within the last minute, second by second. Not thread-safe.
 *
 * <p>What is older than a minute is overwritten, so its size never changes.
 */
final class LastMinute {

  private static final int SECONDS = 60;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final long begun;
  private final double[] amounts = new double[SECONDS];
  // The second that each of them is of, counted from the beginning.
  private final long[] seconds = new long[SECONDS];

  LastMinute(long begun) {
    this.begun = begun;
  }

  void add(long now, double amount) {
    long second = second(now);
    int place = (int) (second % SECONDS);
    if (seconds[place] != second) {
      seconds[place] = second;
      amounts[place] = 0;
    }
    amounts[place] += amount;
  }

  /**
   * Within the first minute, what there was so far: a burst at the start is no rate that would go
   * on for a minute.
   */
  double perMinute(long now) {
    long second = second(now);
    double sum = 0;
    for (int place = 0; place < SECONDS; place++) {
      if (second - seconds[place] < SECONDS) {
        sum += amounts[place];
      }
    }
    double passed = (double) (now - begun) / NANOS_PER_SECOND;
    // The oldest second of a full minute is left out as soon as a new one begins.
    double seen = Math.min(passed, SECONDS - 1 + passed % 1);
    return passed < SECONDS ? sum : sum / seen * SECONDS;
  }

  private long second(long now) {
    return Math.max(0, now - begun) / NANOS_PER_SECOND;
  }
}

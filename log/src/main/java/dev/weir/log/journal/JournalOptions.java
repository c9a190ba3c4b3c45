package dev.weir.log.journal;

import java.time.Duration;

/**
 * How a journal is written.
 *
 * @param linger how long a record that somebody waits for may wait for others to share its fsync
 * @param laterWithin how long a record that nobody waits for may stay in memory
 * @param retryEvery how often a failed write is tried again
 * @param patience how long failed writes are tried again before the journal is given up
 * @param closeWithin how long {@link Journal#close()} tries to write what is left
 * @param maxHeldBytes how much may wait in memory; who appends more, waits
 * @param indexEvery how many records share an index; a reader that finds the journal without an end
 *     goes through at most so many one by one
 * @param listener hears of pauses
 */
public record JournalOptions(
    Duration linger,
    Duration laterWithin,
    Duration retryEvery,
    Duration patience,
    Duration closeWithin,
    long maxHeldBytes,
    int indexEvery,
    JournalListener listener) {

  public JournalOptions {
    requirePositive("retryEvery", retryEvery);
    requireNotNegative("linger", linger);
    requireNotNegative("patience", patience);
    requireNotNegative("laterWithin", laterWithin);
    requireNotNegative("closeWithin", closeWithin);
    if (maxHeldBytes < 1) {
      throw new IllegalArgumentException("`maxHeldBytes` must be >= 1, was " + maxHeldBytes);
    }
    if (indexEvery < 1) {
      throw new IllegalArgumentException("`indexEvery` must be >= 1, was " + indexEvery);
    }
  }

  /**
   * Ten milliseconds are nothing beside a model call and let a few hundred samples a second share
   * an fsync. One second of events is little to lose. 64 MiB are some 10,000 samples. Ten minutes
   * are enough to make room on a disk, and who interrupts a run waits 10 s at most for its end.
   */
  public static JournalOptions defaults() {
    return new JournalOptions(
        Duration.ofMillis(10),
        Duration.ofSeconds(1),
        Duration.ofSeconds(1),
        Duration.ofMinutes(10),
        Duration.ofSeconds(5),
        64L << 20,
        1_000,
        JournalListener.NONE);
  }

  public JournalOptions withLinger(Duration duration) {
    return new JournalOptions(
        duration,
        laterWithin,
        retryEvery,
        patience,
        closeWithin,
        maxHeldBytes,
        indexEvery,
        listener);
  }

  public JournalOptions withLaterWithin(Duration duration) {
    return new JournalOptions(
        linger, duration, retryEvery, patience, closeWithin, maxHeldBytes, indexEvery, listener);
  }

  public JournalOptions withRetryEvery(Duration duration) {
    return new JournalOptions(
        linger, laterWithin, duration, patience, closeWithin, maxHeldBytes, indexEvery, listener);
  }

  public JournalOptions withPatience(Duration duration) {
    return new JournalOptions(
        linger, laterWithin, retryEvery, duration, closeWithin, maxHeldBytes, indexEvery, listener);
  }

  public JournalOptions withCloseWithin(Duration duration) {
    return new JournalOptions(
        linger, laterWithin, retryEvery, patience, duration, maxHeldBytes, indexEvery, listener);
  }

  public JournalOptions withMaxHeldBytes(long bytes) {
    return new JournalOptions(
        linger, laterWithin, retryEvery, patience, closeWithin, bytes, indexEvery, listener);
  }

  public JournalOptions withIndexEvery(int records) {
    return new JournalOptions(
        linger, laterWithin, retryEvery, patience, closeWithin, maxHeldBytes, records, listener);
  }

  public JournalOptions withListener(JournalListener other) {
    return new JournalOptions(
        linger, laterWithin, retryEvery, patience, closeWithin, maxHeldBytes, indexEvery, other);
  }

  private static void requireNotNegative(String name, Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("`" + name + "` must be >= 0, was " + duration);
    }
  }

  private static void requirePositive(String name, Duration duration) {
    if (!duration.isPositive()) {
      throw new IllegalArgumentException("`" + name + "` must be > 0, was " + duration);
    }
  }
}

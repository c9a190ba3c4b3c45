package dev.weir.cli;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * How long a clean end is waited for: as long as something is written, since a large log takes its
 * time. What writes nothing for ten seconds is given up, for good. Thread-safe.
 */
final class Patience {

  /** More than a run with ten thousand open samples takes until the next of them is written. */
  static final Duration WITHOUT_A_WRITE = Duration.ofSeconds(10);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final Time time;
  private final Supplier<Map<Path, Long>> written;
  private final LongConsumer tell;

  // Guarded by this.
  private long deadline = Time.NEVER;
  private long tellAt = Time.NEVER;
  private final Map<Path, Long> most = new HashMap<>();
  private boolean isOver;

  /**
   * @param written how large files are by now; one that is larger than ever is a sign of life
   * @param tell hears of them every ten seconds, while it is waited
   */
  Patience(Time time, Supplier<Map<Path, Long>> written, LongConsumer tell) {
    this.time = time;
    this.written = written;
    this.tell = tell;
  }

  /**
   * Waits for the end; false if it is given up. Whoever asks again waits no longer than the first.
   *
   * @param atFirst how long, if nothing is written at all
   */
  boolean awaits(Completion<?> end, Duration atFirst) throws InterruptedException {
    begin(atFirst);
    while (!end.await(nextLook())) {
      if (isOver()) {
        return false;
      }
    }
    return true;
  }

  private synchronized void begin(Duration atFirst) {
    if (deadline == Time.NEVER) {
      deadline = time.after(atFirst);
      tellAt = time.after(WITHOUT_A_WRITE);
      most.putAll(written.get());
    }
  }

  private synchronized long nextLook() {
    return Math.min(deadline, time.after(BETWEEN_LOOKS));
  }

  private synchronized boolean isOver() {
    if (isAnyLarger() && !isOver) {
      deadline = time.after(WITHOUT_A_WRITE);
    }
    isOver |= time.nanos() >= deadline;
    if (!isOver && time.nanos() >= tellAt) {
      tellAt = time.after(WITHOUT_A_WRITE);
      tell.accept(most.values().stream().mapToLong(Long::longValue).sum());
    }
    return isOver;
  }

  /** Not just other than before: on a full disk a record is begun and taken back for ever. */
  private boolean isAnyLarger() {
    boolean isAnyLarger = false;
    for (Map.Entry<Path, Long> file : written.get().entrySet()) {
      Long before = most.put(file.getKey(), file.getValue());
      if (before != null && before >= file.getValue()) {
        most.put(file.getKey(), before);
      } else {
        isAnyLarger = true;
      }
    }
    return isAnyLarger;
  }
}

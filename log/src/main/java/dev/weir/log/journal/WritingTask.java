package dev.weir.log.journal;

import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Brings what has gathered in the backlog of a journal to the disk, batch by batch, and knows what
 * is there. While that fails it is tried again, as long as the patience lasts.
 *
 * <p>Begins at once; ends when the backlog is shut and written, or given up. Thread-safe.
 */
final class WritingTask {

  /** How long a write that hangs may hold up the end. */
  private static final Duration PATIENCE_AT_END = Duration.ofSeconds(1);

  private final Path file;
  private final Time time;
  private final JournalOptions options;
  private final Backlog backlog;
  private final RecordWriter writer;
  private final Runnable atEnd;
  private final Pauses pauses;
  private final Signal stop;
  private final Task<?> writing;

  // Guarded by this.
  private long durableRecords;
  private long durableBytes;
  // Why it is to end although not all is written.
  private @Nullable String givenUp;
  // From then on, what cannot be written is given up soon.
  private long hurriedAt = Time.NEVER;
  private @Nullable End end;

  /**
   * @param writer has written the header of the file
   * @param atEnd is run when nothing will be written any more
   */
  WritingTask(
      Path file,
      Time time,
      JournalOptions options,
      Backlog backlog,
      RecordWriter writer,
      Runnable atEnd) {
    this.file = file;
    this.time = time;
    this.options = options;
    this.backlog = backlog;
    this.writer = writer;
    this.atEnd = atEnd;
    this.durableBytes = writer.durableBytes();
    this.pauses = new Pauses(file, options.listener());
    this.stop = time.signal("another try to write " + file);
    this.writing = time.start("journal", this::writeAll);
  }

  /** How it ended. */
  private record End(String why, Backlog.Size onDisk, Backlog.Size lost) {}

  synchronized Backlog.Size onDisk() {
    return new Backlog.Size(durableRecords, durableBytes);
  }

  /** Whether it has ended and not all is on disk. */
  synchronized boolean hasLost() {
    return end != null && end.lost.records() > 0;
  }

  /** Why a record is not on disk and will not be. */
  synchronized JournalEndedException endedException() {
    if (end != null) {
      return new JournalEndedException(file, end.why, end.onDisk, end.lost);
    }
    String why = pauses.explain(givenUp().orElse("it is being closed"));
    return new JournalEndedException(file, why, onDisk(), backlog.size());
  }

  private void writeAll() {
    String why = "";
    try {
      Batch batch;
      do {
        batch = backlog.take();
      } while (commit(batch) && !batch.isLast);
      why = givenUp().orElse("it was closed");
    } catch (InterruptedException cancelled) {
      why = "its writing task was cancelled";
    } catch (RuntimeException | Error failed) {
      why = "its writing task failed (" + failed + ")";
      throw failed;
    } finally {
      boolean isInPlace = writer.isInPlace();
      closeFile();
      end(why, isInPlace);
    }
  }

  /** Returns when the batch is on disk; false if it was given up. */
  private boolean commit(Batch batch) throws InterruptedException {
    List<byte[]> bytes = writer.encode(batch.records, batch.isLast);
    long failingSince = Time.NEVER;
    while (givenUp().isEmpty()) {
      try {
        if (!bytes.isEmpty()) {
          writer.commit(bytes);
        }
        committed(batch);
        return true;
      } catch (IOException failed) {
        failingSince = Math.min(failingSince, time.nanos());
        pauses.failed(failed, backlog.heldBytes());
      }
      if (!hasPatience(failingSince)) {
        return false;
      }
      stop.await(Math.min(time.after(options.retryEvery()), patienceEnd(failingSince)));
    }
    return false;
  }

  /** Whether writes that have failed since then are tried once more; if not, they are given up. */
  private boolean hasPatience(long failingSince) {
    if (time.nanos() < patienceEnd(failingSince)) {
      return true;
    }
    boolean isHurried;
    String why;
    synchronized (this) {
      isHurried = hurriedAt != Time.NEVER;
      why =
          isHurried
              ? "the run was ended while it could not be written"
              : "it could not be written for " + told(options.patience());
      givenUp = givenUp == null ? why : givenUp;
    }
    if (!isHurried) {
      pauses.abandoned(why);
    }
    return false;
  }

  private synchronized long patienceEnd(long failingSince) {
    return hurriedAt == Time.NEVER
        ? failingSince + options.patience().toNanos()
        : Math.max(failingSince, hurriedAt) + PATIENCE_AT_END.toNanos();
  }

  private static String told(Duration duration) {
    return duration.toMinutes() > 0
        ? duration.toMinutes() + " minutes"
        : duration.toSeconds() + " seconds";
  }

  private void committed(Batch batch) {
    synchronized (this) {
      if (end != null) {
        return;
      }
      durableRecords += batch.records.size();
      durableBytes = writer.durableBytes();
      // Within: an end in between would count the records twice.
      backlog.written(batch);
    }
    pauses.succeeded();
  }

  private void closeFile() {
    try {
      writer.close();
    } catch (IOException failed) {
      // What is durable stays so. The rest, if it could not be cut off, is a torn tail.
    }
  }

  private synchronized Optional<String> givenUp() {
    return Optional.ofNullable(givenUp);
  }

  /**
   * @param isInPlace whether the file is there; if not, nothing of it is
   */
  private void end(String why, boolean isInPlace) {
    synchronized (this) {
      if (end == null) {
        Backlog.Size written = onDisk();
        Backlog.Size lost = backlog.drop();
        end =
            isInPlace
                ? new End(pauses.explain(why), written, lost)
                : new End(pauses.explain(why), Backlog.Size.NONE, lost.plus(written));
      }
    }
    atEnd.run();
  }

  /** What cannot be written now is tried once more, and given up after a second. */
  void hurry() {
    synchronized (this) {
      hurriedAt = Math.min(hurriedAt, time.nanos());
    }
    stop.send();
  }

  /** Ends at once, with what is on disk. */
  void giveUp(String why) {
    synchronized (this) {
      if (givenUp == null) {
        givenUp = why;
      }
    }
    backlog.shut();
    stop.send();
    endsWithin(PATIENCE_AT_END);
    end(why, true);
  }

  /** Whether it ends in that time; an interrupt does not hurry it. */
  boolean endsWithin(Duration duration) {
    long deadline = time.after(duration);
    boolean wasInterrupted = false;
    try {
      while (true) {
        try {
          return writing.join(deadline);
        } catch (InterruptedException notNow) {
          wasInterrupted = true;
        }
      }
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

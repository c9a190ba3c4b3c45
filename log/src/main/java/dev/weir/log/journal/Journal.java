package dev.weir.log.journal;

import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A journal while it is written: records are only ever appended, and are durable when {@link
 * #append} returns.
 *
 * <pre>
 *   append ──> batch that gathers ──(linger is over)──> batch being written ──(fsync)──> durable
 *                                                          │         ^
 *                                                      a failure     │ tried again every second
 *                                                          v         │
 *                                                        paused ─────┘──(patience is over)──> ended
 * </pre>
 *
 * <p>One task does all writing: an fsync holds up the carrier of a virtual thread (the JDK adds
 * another meanwhile), and a file channel is closed when a thread that uses it is interrupted. So
 * neither may happen in the tasks of samples, which are many and are cancelled.
 *
 * <p>Thread-safe.
 */
public final class Journal implements AutoCloseable {

  /** What a body may have. */
  public static final int MOST_BODY_BYTES = Head.MAX_BODY;

  /** How long a write that hangs may hold up the end. */
  private static final Duration PATIENCE_AT_END = Duration.ofSeconds(1);

  private final Path file;
  private final Time time;
  private final JournalOptions options;
  private final JournalLock lock;
  private final Body.Compressor compressor;
  private final RecordWriter writer;
  private final Backlog backlog;
  private final Pauses pauses;
  private final Signal stop;
  private final Task<?> writing;

  // Guarded by this.
  private long durableRecords;
  private long durableBytes;
  private boolean isSettled;
  // Why it is to end although not all is written.
  private @Nullable String givenUp;
  // From then on, what cannot be written is given up soon.
  private long hurriedAt = Time.NEVER;
  private @Nullable End end;

  private Journal(
      Path file,
      Time time,
      JournalOptions options,
      JournalLock lock,
      Body.Compressor compressor,
      RecordWriter writer) {
    this.file = file;
    this.time = time;
    this.options = options;
    this.lock = lock;
    this.compressor = compressor;
    this.writer = writer;
    this.durableBytes = writer.durableBytes();
    this.backlog = new Backlog(time, options.maxHeldBytes());
    this.pauses = new Pauses(file, options.listener());
    this.stop = time.signal("another try to write " + file);
    this.writing = time.start("journal", this::writeAll);
  }

  /** How it ended. */
  private record End(String why, Backlog.Size onDisk, Backlog.Size lost) {}

  /**
   * Begins a journal, and makes its directory if need be.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is such a file
   * @throws JournalLockedException if it is being written
   */
  public static Journal create(Path file, Time time, JournalOptions options) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new IOException("`" + file + "` is not the name of a file");
    }
    Files.createDirectories(directory);
    JournalLock lock = JournalLock.take(file);
    try {
      JournalFile out = ChannelFile.create(file, directory, lock);
      try {
        return begin(file, out, lock, time, options);
      } catch (IOException | RuntimeException failed) {
        // Without its header it is nothing, and in the way of the next try.
        Files.deleteIfExists(file);
        throw failed;
      }
    } catch (IOException | RuntimeException failed) {
      lock.close();
      throw failed;
    }
  }

  static Journal begin(
      Path file, JournalFile out, JournalLock lock, Time time, JournalOptions options)
      throws IOException {
    var compressor = new Body.Compressor();
    var writer = new RecordWriter(out, compressor, options.indexEvery());
    try {
      writer.commit(writer.header());
    } catch (IOException | RuntimeException failed) {
      out.close();
      throw failed;
    }
    return new Journal(file, time, options, lock, compressor, writer);
  }

  public Path file() {
    return file;
  }

  /** How many appended records are durable. */
  public synchronized long durableRecords() {
    return durableRecords;
  }

  /** The length of the file up to the last byte that is durable. */
  public synchronized long durableBytes() {
    return durableBytes;
  }

  /**
   * Appends a record, and returns when it is durable.
   *
   * @param type 0 to 65534
   * @param key what the index is to know of it; at most 64 KiB
   * @param body at most 256 MiB; compressed where that helps
   * @return where the record begins in the file
   * @throws JournalEndedException if the journal was closed or given up before it was durable
   * @throws InterruptedException if the task was cancelled; the record may be written all the same
   */
  public long append(int type, byte[] key, byte[] body) throws IOException, InterruptedException {
    Batch.Pending record = record(type, key, body);
    Batch batch = backlog.add(record, options.linger());
    if (batch == null || !batch.durable.await()) {
      throw endedException();
    }
    return record.offset;
  }

  /**
   * As {@link #append}, for a task that may be cancelled: its record is written all the same, but
   * then it does not wait for that; {@link #close} does. The interrupt is left for others to see.
   *
   * @throws JournalEndedException if the journal was closed or given up before it was durable
   */
  public void appendAnyway(int type, byte[] key, byte[] body) throws IOException {
    appendAnyway(record(type, key, body), options.linger(), true);
  }

  /**
   * As {@link #appendLater}, for a task that may be cancelled: its record is written all the same.
   * The interrupt is left for others to see.
   */
  public void appendLaterAnyway(int type, byte[] key, byte[] body) throws IOException {
    appendAnyway(record(type, key, body), options.laterWithin(), false);
  }

  private void appendAnyway(Batch.Pending record, Duration within, boolean waits)
      throws IOException {
    boolean isInterrupted = false;
    boolean isDurable = true;
    @Nullable Batch batch = null;
    for (boolean isAdded = false; !isAdded; ) {
      try {
        batch = backlog.add(record, within);
        isAdded = true;
      } catch (InterruptedException cancelled) {
        isInterrupted = true;
      }
    }
    if (batch != null && waits && !isInterrupted) {
      try {
        isDurable = batch.durable.await();
      } catch (InterruptedException cancelled) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    if (batch == null || !isDurable) {
      throw endedException();
    }
  }

  /**
   * Appends a record that nobody waits for. It is durable with the next commit: within a second, or
   * when a later {@link #append} returns. Waits only while too much is held in memory.
   */
  public void appendLater(int type, byte[] key, byte[] body)
      throws IOException, InterruptedException {
    if (backlog.add(record(type, key, body), options.laterWithin()) == null) {
      throw endedException();
    }
  }

  private Batch.Pending record(int type, byte[] key, byte[] body) {
    requireAtMost("type", type, Head.MAX_TYPE);
    requireAtMost("key length", key.length, Head.MAX_KEY);
    requireAtMost("body length", body.length, Head.MAX_BODY);
    return new Batch.Pending(type, key.clone(), compressor.compress(body));
  }

  private static void requireAtMost(String name, int value, int most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(
          "`" + name + "` must be >= 0 and <= " + most + ", was " + value);
    }
  }

  private synchronized JournalEndedException endedException() {
    if (end != null) {
      return new JournalEndedException(file, end.why, end.onDisk, end.lost);
    }
    String why = pauses.explain(givenUp().orElse("it is being closed"));
    return new JournalEndedException(file, why, onDisk(), backlog.size());
  }

  private synchronized Backlog.Size onDisk() {
    return new Backlog.Size(durableRecords, durableBytes);
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

  /**
   * Whoever ends a run does not wait for a disk: what cannot be written now is tried once more, and
   * given up after a second. Records are no longer compressed, unless they are large: many end now,
   * and all at once.
   */
  public void hurry() {
    compressor.hurry();
    synchronized (this) {
      hurriedAt = Math.min(hurriedAt, time.nanos());
    }
    stop.send();
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
    compressor.close();
  }

  /**
   * Ends the journal at once, with what is on disk. All who wait for a commit get a {@link
   * JournalEndedException}; so does {@link #close()} if records were lost.
   */
  public void giveUp(String why) {
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

  /**
   * Writes what is left, with an index, and ends. What cannot be written in time is given up. An
   * interrupt does not hurry it: this is where the results of a cancelled run get to disk. The
   * journal stays locked until {@link #close}: nobody else makes anything of it meanwhile.
   *
   * @throws JournalEndedException if not all is on disk; told once
   */
  public void settle() throws IOException {
    synchronized (this) {
      if (isSettled) {
        return;
      }
      isSettled = true;
    }
    backlog.shut();
    if (!endsWithin(options.closeWithin())) {
      giveUp("its end could not be written in " + options.closeWithin().toSeconds() + " s");
    }
    synchronized (this) {
      if (end != null && end.lost.records() > 0) {
        throw endedException();
      }
    }
  }

  /**
   * As {@link #settle}, and others may have it then.
   *
   * @throws JournalEndedException if not all is on disk, and {@link #settle} has not told it
   */
  @Override
  public void close() throws IOException {
    try (lock) {
      settle();
    }
  }

  private boolean endsWithin(Duration duration) {
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

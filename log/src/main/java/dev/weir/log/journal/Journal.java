package dev.weir.log.journal;

import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

  private final Path file;
  private final JournalOptions options;
  private final JournalLock lock;
  private final Body.Compressor compressor;
  private final Backlog backlog;
  private final WritingTask writing;
  // Guarded by this.
  private boolean isSettled;

  private Journal(
      Path file,
      Time time,
      JournalOptions options,
      JournalLock lock,
      Body.Compressor compressor,
      RecordWriter writer) {
    this.file = file;
    this.options = options;
    this.lock = lock;
    this.compressor = compressor;
    this.backlog = new Backlog(time, options.maxHeldBytes());
    this.writing = new WritingTask(file, time, options, backlog, writer, compressor::close);
  }

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
  public long durableRecords() {
    return writing.onDisk().records();
  }

  /** The length of the file up to the last byte that is durable. */
  public long durableBytes() {
    return writing.onDisk().bytes();
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
      throw writing.endedException();
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
      throw writing.endedException();
    }
  }

  /**
   * Appends a record that nobody waits for. It is durable with the next commit: within a second, or
   * when a later {@link #append} returns. Waits only while too much is held in memory.
   */
  public void appendLater(int type, byte[] key, byte[] body)
      throws IOException, InterruptedException {
    if (backlog.add(record(type, key, body), options.laterWithin()) == null) {
      throw writing.endedException();
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

  /**
   * Whoever ends a run does not wait for a disk: what cannot be written now is tried once more, and
   * given up after a second. Records are no longer compressed, unless they are large: many end now,
   * and all at once.
   */
  public void hurry() {
    compressor.hurry();
    writing.hurry();
  }

  /**
   * Ends the journal at once, with what is on disk. All who wait for a commit get a {@link
   * JournalEndedException}; so does {@link #close()} if records were lost.
   */
  public void giveUp(String why) {
    writing.giveUp(why);
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
    if (!writing.endsWithin(options.closeWithin())) {
      giveUp("its end could not be written in " + options.closeWithin().toSeconds() + " s");
    }
    if (writing.hasLost()) {
      throw writing.endedException();
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
}

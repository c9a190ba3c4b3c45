package dev.weir.log.journal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The right to write a journal, or another file that only one process may; gone when the process
 * is, however it ends.
 *
 * <p>It is a lock on a file beside the journal, and not on the journal: on Linux and macOS a
 * process loses its locks on a file as soon as it closes that file anywhere, as every reader in the
 * same process would. For the same reason the lock file is never opened while this process holds
 * the lock: a table of the process knows that, and one look or take follows the other.
 *
 * <p>Thread-safe.
 */
public final class JournalLock implements Closeable {

  private static final String ENDING = ".lock";
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path journal;
  private final Path lockFile;
  // Guarded by the class.
  private FileChannel channel;

  private JournalLock(Path journal, Path lockFile, FileChannel channel) {
    this.journal = journal;
    this.lockFile = lockFile;
    this.channel = channel;
  }

  /**
   * Takes it, and does not wait for it.
   *
   * @throws JournalLockedException if somebody has it
   */
  public static synchronized JournalLock take(Path journal) throws IOException {
    Path lockFile = lockFile(journal);
    if (!HELD_HERE.add(lockFile)) {
      throw new JournalLockedException(journal + " is being written by this process already");
    }
    try {
      return new JournalLock(journal, lockFile, locked(journal, lockFile));
    } catch (IOException | RuntimeException failed) {
      HELD_HERE.remove(lockFile);
      throw failed;
    }
  }

  @SuppressWarnings("resource") // the lock lives and ends with its channel
  private static FileChannel locked(Path journal, Path lockFile) throws IOException {
    FileChannel channel = FileChannel.open(lockFile, CREATE, WRITE);
    try {
      if (channel.tryLock() == null) {
        throw new JournalLockedException(journal + " is being written by another process");
      }
      return channel;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Whether this process or another writes the journal now. */
  static synchronized boolean isHeld(Path journal) throws IOException {
    try {
      Path lockFile = lockFile(journal);
      return HELD_HERE.contains(lockFile) || isHeldElsewhere(lockFile);
    } catch (NoSuchFileException noLock) {
      return false;
    }
  }

  private static boolean isHeldElsewhere(Path lockFile) throws IOException {
    try (FileChannel channel = FileChannel.open(lockFile, READ);
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock == null;
    }
  }

  private static Path lockFile(Path journal) throws IOException {
    Path file = journal.toAbsolutePath();
    Path directory = file.getParent();
    if (directory == null) {
      throw new IOException("`" + journal + "` is not the name of a file");
    }
    return directory.toRealPath().resolve(file.getFileName() + ENDING);
  }

  /** Makes the lock visible again if its file was deleted. */
  void renew() throws IOException {
    synchronized (JournalLock.class) {
      if (!Files.exists(lockFile)) {
        FileChannel renewed = locked(journal, lockFile);
        channel.close();
        channel = renewed;
      }
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (JournalLock.class) {
      try {
        // Before it is released: it is ours to delete only now.
        Files.deleteIfExists(lockFile);
      } catch (IOException failed) {
        // A file that nobody holds locks nothing.
      } finally {
        channel.close();
        HELD_HERE.remove(lockFile);
      }
    }
  }
}

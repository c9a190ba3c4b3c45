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
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a journal, or another file that only one process may; gone when the process
 * is, however it ends.
 *
 * <p>It is a lock on a file beside the journal, and not on the journal: on Linux and macOS a
 * process loses its locks on a file as soon as it closes that file anywhere, as every reader in the
 * same process would. For the same reason the lock file is never opened while this process holds
 * the lock: a table of the process knows that, and one look or take follows the other.
 *
 * <p>Whoever releases it deletes the file. Another process may have opened it by then, and would
 * lock a file that has no name any more; so a lock counts only on the file that has the name.
 *
 * <p>Java cannot ask whether a file is locked: who wants to know locks it for an instant. That must
 * not keep a writer from beginning. So there are two bytes: the first is the right to write, and is
 * touched by writers alone; the second shows that somebody has it, and is what others look at.
 *
 * <p>Thread-safe.
 */
public final class JournalLock implements Closeable {

  private static final String ENDING = ".lock";
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  /** Each time another process has just released it: more is somebody else's game. */
  private static final int MOST_TRIES = 1_000;

  private static final long RIGHT = 0;
  private static final long SIGN = 1;

  private final Path journal;
  private final Path lockFile;
  // Guarded by the class.
  private Locked locked;
  // Guarded by the class.
  private boolean isReleased;

  private JournalLock(Path journal, Path lockFile, Locked locked) {
    this.journal = journal;
    this.lockFile = lockFile;
    this.locked = locked;
  }

  /** A file that is locked as long as it is open. */
  private record Locked(FileChannel channel, Identity identity) {}

  /**
   * Which file has a name.
   *
   * @param key null where the system has none
   * @param created numbers of files are used again
   */
  private record Identity(@Nullable Object key, FileTime created) {

    static Identity of(Path file) throws IOException {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Identity(attributes.fileKey(), attributes.creationTime());
    }

    /** Makes the file if need be. */
    static Identity ofAny(Path file) throws IOException {
      try {
        return of(file);
      } catch (NoSuchFileException missing) {
        FileChannel.open(file, CREATE, WRITE).close();
        return of(file);
      }
    }
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

  private static Locked locked(Path journal, Path lockFile) throws IOException {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      try {
        Optional<Locked> locked = tryLock(journal, lockFile);
        if (locked.isPresent()) {
          return locked.get();
        }
      } catch (NoSuchFileException released) {
        // It was somebody's until just now.
      }
    }
    throw new JournalLockedException(journal + " is being taken by other processes");
  }

  /** Absent if another file got its name meanwhile. */
  @SuppressWarnings("resource") // the lock lives and ends with its channel
  private static Optional<Locked> tryLock(Path journal, Path lockFile) throws IOException {
    // Known before it is opened: that it has the name also when it is locked makes it the one.
    Identity named = Identity.ofAny(lockFile);
    FileChannel channel = FileChannel.open(lockFile, WRITE);
    boolean isTaken = false;
    try {
      if (channel.tryLock(RIGHT, 1, false) == null) {
        throw new JournalLockedException(journal + " is being written by another process");
      }
      if (channel.tryLock(SIGN, 1, false) == null) {
        // Somebody looks, which takes no time.
        channel.lock(SIGN, 1, false);
      }
      isTaken = named.equals(Identity.of(lockFile));
      return isTaken ? Optional.of(new Locked(channel, named)) : Optional.empty();
    } finally {
      if (!isTaken) {
        channel.close();
      }
    }
  }

  /** What this process holds. Waits for nobody. */
  static List<Path> heldHere() {
    return HELD_HERE.stream()
        .sorted()
        .map(
            lockFile -> {
              String name = String.valueOf(lockFile.getFileName());
              return lockFile.resolveSibling(name.substring(0, name.length() - ENDING.length()));
            })
        .toList();
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
        FileLock lock = channel.tryLock(SIGN, 1, true)) {
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
        Locked renewed = locked(journal, lockFile);
        locked.channel.close();
        locked = renewed;
      }
    }
  }

  /** Releases it; without effect if that was done: it may be somebody else's by now. */
  @Override
  public void close() throws IOException {
    synchronized (JournalLock.class) {
      if (isReleased) {
        return;
      }
      isReleased = true;
      try {
        // Before it is released: it is ours to delete only now, and only if it is ours.
        if (locked.identity.equals(Identity.of(lockFile))) {
          Files.deleteIfExists(lockFile);
        }
      } catch (IOException failed) {
        // A file that nobody holds locks nothing.
      } finally {
        locked.channel.close();
        HELD_HERE.remove(lockFile);
      }
    }
  }
}

package dev.weir.eval.memory;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.weir.eval.memory.LimitsFile.UnusableException;
import dev.weir.log.StateDirectory;
import dev.weir.time.Time;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A directory of learned limits, one small file for each scope, readable by its owner only.
 *
 * <p>A file is written beside and moved into place, so a reader finds the old one or the new one,
 * and of two writers the one that learned later wins. Files older than a week are removed, and so
 * are the oldest beyond 1,000.
 *
 * <p>Thread-safe, and safe between processes.
 */
public final class LimitStore {

  /** After that a {@link dev.weir.limits.pace.PaceMemory} is not trusted at all. */
  private static final Duration LONGEST_KEPT = Duration.ofDays(7);

  /** A file that a killed process did not move into place. */
  private static final Duration LONGEST_WRITTEN = Duration.ofHours(1);

  /** How far clocks of machines that share a directory may be apart. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

  private static final int MOST_FILES = 1_000;

  private static final String UNFINISHED = ".tmp";

  private final Path directory;
  private final Time time;

  /**
   * @param directory is made when the first file is written
   */
  public LimitStore(Path directory, Time time) {
    this.directory = directory;
    this.time = time;
  }

  /** The store of the user: {@code limits} in the state directory, if there is one. */
  public static Optional<LimitStore> of(Map<String, String> environment, Time time) {
    return StateDirectory.of(environment)
        .map(state -> new LimitStore(state.resolve("limits").toAbsolutePath(), time));
  }

  /** Where the files are. */
  public Path directory() {
    return directory;
  }

  /** A file of the store. */
  public sealed interface Entry {

    Path file();

    /** A file that a run can start from. */
    record Usable(Path file, LearnedLimits limits) implements Entry {}

    /**
     * A file that runs ignore.
     *
     * @param why follows its name in a sentence: {@code "is damaged (checksum mismatch)"}
     */
    record Unusable(Path file, String why) implements Entry {}
  }

  /** What is kept of a scope; empty if there is nothing. */
  public Optional<Entry> read(String scope) {
    return read(directory.resolve(LimitsFile.name(scope)));
  }

  private Optional<Entry> read(Path file) {
    try {
      if (!Files.exists(file, NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      if (!Files.isRegularFile(file, NOFOLLOW_LINKS)) {
        return Optional.of(new Entry.Unusable(file, "is not a regular file"));
      }
      LearnedLimits limits = LimitsFile.parse(bytes(file));
      requireOwn(file, limits);
      requirePast(limits);
      return Optional.of(new Entry.Usable(file, limits));
    } catch (NoSuchFileException removed) {
      return Optional.empty();
    } catch (IOException unreadable) {
      return Optional.of(new Entry.Unusable(file, "cannot be read (" + unreadable + ")"));
    } catch (UnusableException unusable) {
      return Optional.of(new Entry.Unusable(file, String.valueOf(unusable.getMessage())));
    }
  }

  /** By a stream that an interrupt does not close: runs are read and written while they end. */
  private static byte[] bytes(Path file) throws IOException, UnusableException {
    try (InputStream in = new FileInputStream(file.toFile())) {
      byte[] bytes = in.readNBytes(LimitsFile.MOST_BYTES + 1);
      if (bytes.length > LimitsFile.MOST_BYTES) {
        throw new UnusableException("is not a file of learned limits");
      }
      return bytes;
    }
  }

  private static void requireOwn(Path file, LearnedLimits limits) throws UnusableException {
    if (!file.endsWith(LimitsFile.name(limits.scope()))) {
      throw new UnusableException("belongs to another account or model");
    }
  }

  private void requirePast(LearnedLimits limits) throws UnusableException {
    Instant learned = Instant.ofEpochMilli(limits.memory().learnedAtMillis());
    if (learned.isAfter(time.instant().plus(CLOCK_SKEW))) {
      throw new UnusableException("is dated in the future (%s)".formatted(learned));
    }
  }

  /**
   * Keeps what was learned, unless another run has learned later.
   *
   * @return whether it was written
   */
  public boolean write(LearnedLimits limits) throws IOException {
    if (read(limits.scope()).filter(known -> isLater(known, limits)).isPresent()) {
      return false;
    }
    prepare();
    String name = LimitsFile.name(limits.scope());
    Path fresh =
        directory.resolve(
            "%s.%d-%s%s"
                .formatted(
                    name,
                    ProcessHandle.current().pid(),
                    Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX),
                    UNFINISHED));
    try {
      Files.createFile(fresh, attributes("rw-------"));
      try (var out = new FileOutputStream(fresh.toFile())) {
        out.write(LimitsFile.encode(limits));
        // Or a machine that loses power may keep the new name with nothing in it.
        out.getFD().sync();
      }
      // By this time it is removed when it is too old.
      Files.setLastModifiedTime(fresh, FileTime.fromMillis(limits.memory().learnedAtMillis()));
      Files.move(
          fresh,
          directory.resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(fresh);
    }
    return true;
  }

  private static boolean isLater(Entry known, LearnedLimits limits) {
    return known instanceof Entry.Usable(_, LearnedLimits kept)
        && kept.memory().learnedAtMillis() > limits.memory().learnedAtMillis();
  }

  private void prepare() throws IOException {
    Path parent = directory.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(directory, attributes("rwx------"));
    } catch (FileAlreadyExistsException there) {
      if (!Files.isDirectory(directory)) {
        throw there;
      }
    }
  }

  /** Elsewhere the directory of the user protects what is in it. */
  private FileAttribute<?>[] attributes(String permissions) {
    return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** All files, ordered by model; of one model, the newest first. */
  public List<Entry> list() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (Path file : files(name -> name.endsWith(LimitsFile.ENDING))) {
      read(file).ifPresent(entries::add);
    }
    entries.sort(
        Comparator.comparing(LimitStore::model)
            .thenComparing(Comparator.comparingLong(LimitStore::learnedAt).reversed())
            .thenComparing(Entry::file));
    return entries;
  }

  private static String model(Entry entry) {
    return entry instanceof Entry.Usable(_, LearnedLimits limits) ? limits.model() : "";
  }

  private static long learnedAt(Entry entry) {
    return entry instanceof Entry.Usable(_, LearnedLimits limits)
        ? limits.memory().learnedAtMillis()
        : 0;
  }

  /**
   * Removes files.
   *
   * @return how many there were
   */
  public int forget(Predicate<Entry> unwanted) throws IOException {
    int removed = 0;
    for (Entry entry : list()) {
      if (unwanted.test(entry) && Files.deleteIfExists(entry.file())) {
        removed++;
      }
    }
    return removed;
  }

  /** Removes what is too old, too much, or left by a process that was killed while it wrote. */
  public void prune() throws IOException {
    Instant now = time.instant();
    // Read once: other runs touch files meanwhile.
    Map<Path, Instant> kept = new HashMap<>();
    for (Path file : files(_ -> true)) {
      String name = file.getFileName().toString();
      boolean isUnfinished = name.endsWith(UNFINISHED);
      if (!isUnfinished && !name.endsWith(LimitsFile.ENDING)) {
        continue;
      }
      Instant modified = modified(file);
      if (modified.isBefore(now.minus(isUnfinished ? LONGEST_WRITTEN : LONGEST_KEPT))) {
        Files.deleteIfExists(file);
      } else if (!isUnfinished) {
        kept.put(file, modified);
      }
    }
    List<Path> oldest =
        kept.entrySet().stream()
            .sorted(Map.Entry.comparingByValue())
            .limit(Math.max(0, kept.size() - MOST_FILES))
            .map(Map.Entry::getKey)
            .toList();
    for (Path file : oldest) {
      Files.deleteIfExists(file);
    }
  }

  /** A file that another run has just removed is the oldest. */
  private static Instant modified(Path file) {
    try {
      return Files.getLastModifiedTime(file, NOFOLLOW_LINKS).toInstant();
    } catch (IOException removed) {
      return Instant.EPOCH;
    }
  }

  private List<Path> files(Predicate<String> wanted) throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      for (Path file : all) {
        if (wanted.test(file.getFileName().toString())) {
          files.add(file);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException none) {
      return List.of();
    } catch (DirectoryIteratorException unreadable) {
      throw unreadable.getCause();
    }
    return files;
  }
}

package dev.weir.model.cache;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries on disk: one file each, named by its key, in 256 directories.
 *
 * <p>A file appears under its name only when it is whole, so any number of processes may use one
 * directory, and any of them may be killed. Nothing is locked. Thread-safe.
 *
 * <p>Sizes are what files take on disk, in blocks of 4 KiB: that bounds their number, too.
 */
public final class CacheDirectory {

  private static final String ENTRY = ".entry";
  private static final String UNFINISHED = ".part";
  private static final int BLOCK = 4 << 10;

  /** Whoever was writing it has been killed. */
  private static final Duration ABANDONED = Duration.ofHours(1);

  /** What is left of the most bytes after the oldest entries went, so that not each put evicts. */
  private static final double KEPT = 0.9;

  private final Path path;

  /** Nothing is read or made. */
  public CacheDirectory(Path path) {
    this.path = path;
  }

  public Path path() {
    return path;
  }

  /**
   * The entries of one model.
   *
   * @param model empty for files that cannot be read
   */
  public record ModelEntries(
      String model, long entries, long bytes, Instant oldest, Instant newest) {

    private ModelEntries plus(ModelEntries other) {
      return new ModelEntries(
          model,
          entries + other.entries,
          bytes + other.bytes,
          other.oldest.isBefore(oldest) ? other.oldest : oldest,
          other.newest.isAfter(newest) ? other.newest : newest);
    }
  }

  /** What was taken away. */
  public record Removed(long entries, long bytes) {}

  /** What there is, by model. */
  public List<ModelEntries> list() throws IOException {
    Map<String, ModelEntries> models = new TreeMap<>();
    for (Found file : scan()) {
      String model = EntryFile.header(file.path).map(EntryFile.Header::model).orElse("");
      models.merge(
          model,
          new ModelEntries(model, 1, file.bytes, file.stored, file.stored),
          ModelEntries::plus);
    }
    return List.copyOf(models.values());
  }

  /** Removes everything. */
  public Removed clear() throws IOException {
    removeParts(Instant.MAX);
    return remove(_ -> true);
  }

  /** Removes the entries of one model. */
  public Removed clear(String model) throws IOException {
    return remove(
        file ->
            EntryFile.header(file.path).filter(header -> header.model().equals(model)).isPresent());
  }

  /** Removes what is too old, and what is not whole. Reads all there is. */
  public Removed prune(CacheAge age, Instant now) throws IOException {
    removeParts(now.minus(ABANDONED));
    return remove(
        file ->
            age.isOver(file.stored, now)
                || EntryFile.read(file.path).filter(e -> file.isNamed(e.key())).isEmpty());
  }

  Optional<EntryFile> find(CacheKey key) {
    // One that was renamed by hand would answer another question.
    return EntryFile.read(file(key)).filter(entry -> entry.key().equals(key));
  }

  /**
   * Writes an entry, in place of an earlier one.
   *
   * @param unique a name that no other writer uses
   * @return what it takes on disk
   */
  long put(EntryFile entry, String unique) throws IOException {
    Path folder = folder(entry.key());
    Path file = file(entry.key());
    makeDirectory(folder);
    Path part = folder.resolve(unique + UNFINISHED);
    byte[] bytes = entry.encode();
    try {
      EntryFile.write(part, bytes);
      Files.setLastModifiedTime(part, FileTime.from(entry.stored()));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failed) {
      Files.deleteIfExists(part);
      throw failed;
    }
    return onDisk(bytes.length);
  }

  /** Removes the oldest entries if there is more than that; says what is left. */
  long trim(long mostBytes, Instant now) throws IOException {
    removeParts(now.minus(ABANDONED));
    List<Found> files = scan();
    long left = files.stream().mapToLong(Found::bytes).sum();
    if (left <= mostBytes) {
      return left;
    }
    files.sort(Comparator.comparing(Found::stored).thenComparing(Found::path));
    for (Found file : files) {
      if (left <= KEPT * mostBytes) {
        break;
      }
      left -= delete(file.path) ? file.bytes : 0;
    }
    return left;
  }

  /** Makes it, for its owner alone where the system can do that: it will hold conversations. */
  void make() throws IOException {
    makeDirectory(path);
  }

  static long onDisk(long bytes) {
    return Math.ceilDiv(bytes, BLOCK) * BLOCK;
  }

  private static void makeDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    try {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (UnsupportedOperationException notPosix) {
      Files.createDirectories(directory);
    }
  }

  private Path file(CacheKey key) {
    return folder(key).resolve(key.hex() + ENTRY);
  }

  private Path folder(CacheKey key) {
    return path.resolve(key.hex().substring(0, 2));
  }

  private Removed remove(Predicate<Found> which) throws IOException {
    long entries = 0;
    long bytes = 0;
    for (Found file : scan()) {
      if (which.test(file) && delete(file.path)) {
        entries++;
        bytes += file.bytes;
      }
    }
    return new Removed(entries, bytes);
  }

  /** False if somebody else was faster, or has it open on a system that minds. */
  private static boolean delete(Path file) {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException inUse) {
      return false;
    }
  }

  private void removeParts(Instant before) throws IOException {
    for (Found part : scan(UNFINISHED)) {
      if (part.stored.isBefore(before)) {
        delete(part.path);
      }
    }
  }

  private List<Found> scan() throws IOException {
    return scan(ENTRY);
  }

  private List<Found> scan(String ending) throws IOException {
    List<Found> files = new ArrayList<>();
    if (Files.isDirectory(path)) {
      for (int i = 0; i < 256; i++) {
        Path folder = path.resolve("%02x".formatted(i));
        if (Files.isDirectory(folder)) {
          scan(folder, ending, files);
        }
      }
    }
    return files;
  }

  private static void scan(Path folder, String ending, List<Found> into) throws IOException {
    try (DirectoryStream<Path> names = Files.newDirectoryStream(folder, "*" + ending)) {
      for (Path file : names) {
        Found found = found(file);
        if (found != null) {
          into.add(found);
        }
      }
    } catch (DirectoryIteratorException failed) {
      throw failed.getCause();
    }
  }

  private static @Nullable Found found(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return attributes.isRegularFile()
          ? new Found(file, onDisk(attributes.size()), attributes.lastModifiedTime().toInstant())
          : null;
    } catch (IOException goneAlready) {
      return null;
    }
  }

  /**
   * @param bytes on disk
   */
  private record Found(Path path, long bytes, Instant stored) {

    boolean isNamed(CacheKey key) {
      return path.endsWith(key.hex() + ENTRY);
    }
  }
}

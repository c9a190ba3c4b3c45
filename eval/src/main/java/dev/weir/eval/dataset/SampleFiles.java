package dev.weir.eval.dataset;

import dev.weir.model.PathSpelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the files that samples name: {@code file:} and a path; or, as many datasets have it, the
 * path alone, if it names a file beside the dataset or below. Not thread-safe.
 */
final class SampleFiles {

  private static final int LONGEST_PATH = 255;
  private static final long LARGEST_SCRIPT = 1 << 20;

  /** Samples often share their files. */
  private static final int MOST_REMEMBERED = 1_000;

  private final Path directory;
  private final Map<String, Optional<Path>> found = new HashMap<>();
  private final Map<Path, String> scripts = new HashMap<>();

  SampleFiles(Path directory) {
    this.directory = directory.toAbsolutePath().normalize();
  }

  /** The text itself, or {@code file:} and the absolute path of the file that it names. */
  String resolve(String column, String given) throws RowException {
    return file(column, given).map(path -> Sample.FILE + path).orElse(given);
  }

  /** The text itself, or that of the file that it names. */
  String script(String column, String given) throws RowException {
    Optional<Path> file = file(column, given);
    if (file.isEmpty()) {
      return given;
    }
    String known = scripts.get(file.get());
    if (known != null) {
      return known;
    }
    try {
      if (Files.size(file.get()) > LARGEST_SCRIPT) {
        throw new RowException(
            column,
            "`%s`: the script %s is larger than %s bytes"
                .formatted(column, file.get(), LARGEST_SCRIPT));
      }
      String script = Files.readString(file.get());
      if (scripts.size() < MOST_REMEMBERED) {
        scripts.put(file.get(), script);
      }
      return script;
    } catch (IOException unreadable) {
      throw new RowException(
          column,
          "`%s`: the script %s cannot be read: %s".formatted(column, file.get(), unreadable));
    }
  }

  private Optional<Path> file(String column, String given) throws RowException {
    if (given.startsWith(Sample.FILE)) {
      return Optional.of(required(column, given.substring(Sample.FILE.length())));
    }
    if (given.length() > LONGEST_PATH || given.isBlank() || given.indexOf('\n') >= 0) {
      return Optional.empty();
    }
    Optional<Path> known = found.get(given);
    if (known == null) {
      known = beside(given);
      if (found.size() < MOST_REMEMBERED) {
        found.put(given, known);
      }
    }
    return known;
  }

  private Path required(String column, String path) throws RowException {
    try {
      // file:///a/b and file:/a/b name the same.
      String plain = path.startsWith("//") ? path.substring(2) : path;
      Path file = directory.resolve(plain).normalize();
      if (plain.isBlank() || !Files.exists(file)) {
        throw new RowException(
            column,
            "`%s`: there is no such file: %s%s"
                .formatted(column, file, plain.isBlank() ? "" : PathSpelling.hint(file)));
      }
      return file;
    } catch (InvalidPathException malformed) {
      throw new RowException(column, "`%s`: '%s' is not a path".formatted(column, path));
    }
  }

  /** Only below the dataset: no text of a stranger's dataset reaches other files unsaid. */
  private Optional<Path> beside(String given) {
    try {
      Path file = directory.resolve(given).normalize();
      return file.startsWith(directory) && !file.equals(directory) && Files.exists(file)
          ? Optional.of(file)
          : Optional.empty();
    } catch (InvalidPathException text) {
      return Optional.empty();
    }
  }
}

package dev.weir.eval.sandbox;

import dev.weir.model.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where files may be put in a sandbox before it is used, so that what cannot be is told before
 * anything is paid for. Not thread-safe.
 */
final class FilePlaces {

  private static final Path BELOW = Path.of("");

  private final SandboxSpec spec;
  private final Map<Path, String> files = new HashMap<>();
  // With a file that is below.
  private final Map<Path, String> directories = new HashMap<>();

  FilePlaces(SandboxSpec spec) {
    this.spec = spec;
  }

  /** Why the file cannot be put there beside those before it, for people; empty if it can. */
  Optional<String> problem(String path, SandboxFile file) {
    boolean isDirectory =
        file instanceof SandboxFile.Copy(Path source) && Files.isDirectory(source);
    try {
      Path place = Path.of(path).normalize();
      if (leadsOut(place)) {
        return Optional.of(
            "'%s' leads out of the sandbox; %s"
                .formatted(
                    Printable.line(path),
                    spec.type() == SandboxType.LOCAL
                        ? "give a path below its working directory, such as data/input.txt"
                        : "what is written outside of /workspace and /tmp is not kept"));
      }
      return isDirectory ? Optional.empty() : unusable(path, place).or(() -> tooLarge(path, file));
    } catch (InvalidPathException none) {
      return Optional.of("'%s' is not a path".formatted(Printable.line(path)));
    }
  }

  private boolean leadsOut(Path place) {
    return switch (spec.type()) {
      case LOCAL -> place.isAbsolute() || place.startsWith("..");
      case BUBBLEWRAP -> !BubblewrapEnclosure.keeps(place);
      // All of its file system is the sandbox's.
      case DOCKER -> false;
    };
  }

  private Optional<String> unusable(String path, Path place) {
    if (place.equals(BELOW) || path.endsWith("/")) {
      return Optional.of(
          "'%s' names a directory; give the path of a file".formatted(Printable.line(path)));
    }
    if (files.containsKey(place)) {
      return Optional.of(
          "'%s' and '%s' are one file"
              .formatted(Printable.line(files.get(place)), Printable.line(path)));
    }
    if (directories.containsKey(place)) {
      return bothAtOnce(path, directories.get(place));
    }
    files.put(place, path);
    for (Path above = place.getParent(); above != null; above = above.getParent()) {
      if (files.containsKey(above)) {
        return bothAtOnce(files.get(above), path);
      }
      directories.putIfAbsent(above, path);
    }
    return Optional.empty();
  }

  private static Optional<String> bothAtOnce(String file, String below) {
    return Optional.of(
        "'%s' would have to be a file and, for '%s', a directory"
            .formatted(Printable.line(file), Printable.line(below)));
  }

  private Optional<String> tooLarge(String path, SandboxFile file) {
    try {
      long size =
          switch (file) {
            case SandboxFile.Text(String content) ->
                content.getBytes(StandardCharsets.UTF_8).length;
            case SandboxFile.Copy(Path source) -> Files.size(source);
          };
      return size <= spec.fileLimit()
          ? Optional.empty()
          : Optional.of(
              "'%s' has %d bytes, more than the limit of %d; `file_limit` sets it"
                  .formatted(Printable.line(path), size, spec.fileLimit()));
    } catch (IOException unreadable) {
      return Optional.of("'%s' cannot be read: %s".formatted(Printable.line(path), unreadable));
    }
  }
}

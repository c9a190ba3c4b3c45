package dev.weir.model;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the file that a mistyped path was meant to name. */
public final class PathSpelling {

  /** Larger directories hold generated files, and reading their names takes too long. */
  private static final int MOST_ENTRIES = 10_000;

  private PathSpelling() {}

  /**
   * The end of an error message about a path that does not exist: {@code "; did you mean 'x'?"}, or
   * nothing if no existing path is near.
   */
  public static String hint(Path missing) {
    return nearest(missing)
        .map(found -> "; did you mean '%s'?".formatted(Printable.line(found.toString())))
        .orElse("");
  }

  /** The existing path that is nearest to a missing one, each of its names by itself. */
  static Optional<Path> nearest(Path missing) {
    Path root = missing.getRoot();
    Path found = root == null ? Path.of("") : root;
    for (Path name : missing) {
      Path next = found.resolve(name);
      if (!Files.exists(next)) {
        Optional<String> near = nearest(name.toString(), entries(found));
        if (near.isEmpty()) {
          return Optional.empty();
        }
        next = found.resolve(near.get());
      }
      found = next;
    }
    return Optional.of(found);
  }

  /** Endings are compared apart: they would make short names look alike. */
  private static Optional<String> nearest(String name, List<String> entries) {
    List<String> similar =
        entries.stream().filter(entry -> isSameKind(ending(name), ending(entry))).toList();
    return Spelling.nearest(stem(name), similar.stream().map(PathSpelling::stem).toList())
        .flatMap(
            stem ->
                similar.stream()
                    .filter(entry -> stem(entry).equals(stem))
                    .min(
                        Comparator.comparing((String entry) -> !ending(entry).equals(ending(name)))
                            .thenComparing(Comparator.naturalOrder())));
  }

  /** A path without an ending may lack it. */
  private static boolean isSameKind(String ending, String other) {
    return ending.isEmpty()
        || ending.equals(other)
        || Spelling.nearest(ending, List.of(other)).isPresent();
  }

  private static String stem(String name) {
    int dot = name.lastIndexOf('.');
    return dot < 1 ? name : name.substring(0, dot);
  }

  private static String ending(String name) {
    return name.substring(stem(name).length());
  }

  private static List<String> entries(Path directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        names.add(String.valueOf(entry.getFileName()));
        if (names.size() > MOST_ENTRIES) {
          return List.of();
        }
      }
    } catch (IOException | DirectoryIteratorException unreadable) {
      // A suggestion is a courtesy: without one, the error is complete all the same.
      return List.of();
    }
    return names;
  }
}

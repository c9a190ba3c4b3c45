package dev.weir.eval.source;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a user named: {@code Tasks.java@capitals}.
 *
 * @param place a file or a class
 * @param task one of its tasks; absent for all of them
 */
record Named(String place, Optional<String> task) {

  /** A file may have the sign in its own name. */
  static Named parse(String spec) {
    int sign = spec.lastIndexOf('@');
    return sign < 1 || exists(spec)
        ? new Named(spec, Optional.empty())
        : new Named(spec.substring(0, sign), Optional.of(spec.substring(sign + 1)));
  }

  private static boolean exists(String spec) {
    try {
      return Files.exists(Path.of(spec));
    } catch (InvalidPathException malformed) {
      return false;
    }
  }
}

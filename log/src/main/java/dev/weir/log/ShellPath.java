package dev.weir.log;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** Paths in commands that are printed for copying. */
final class ShellPath {

  /** What has no meaning of its own in any shell. */
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}/._:@%+=,-]+");

  private ShellPath() {}

  /** One word for a shell. */
  static String word(Path path) {
    String text = path.toString();
    return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}

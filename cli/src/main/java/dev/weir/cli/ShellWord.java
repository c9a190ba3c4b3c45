package dev.weir.cli;

import dev.weir.model.Printable;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Text in commands that are printed for copying: a shell reads it as one word. */
final class ShellWord {

  /** What has no meaning of its own in any shell. */
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}/._:@%+=,-]+");

  private ShellWord() {}

  static String of(Path path) {
    return of(Printable.line(path.toString()));
  }

  static String of(String text) {
    return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}

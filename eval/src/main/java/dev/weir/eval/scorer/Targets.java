package dev.weir.eval.scorer;

import dev.weir.eval.sample.SampleState;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;

/** What answers are compared with. */
final class Targets {

  private static final char ZERO_WIDTH = 0x200B;
  private static final char BOM = 0xFEFF;

  private Targets() {}

  /**
   * Any of them will do.
   *
   * @throws NoScoreException if there is none: that an answer is wrong cannot be told then
   */
  static List<String> of(SampleState state) {
    List<String> targets = state.sample().targets();
    if (targets.isEmpty()) {
      throw new NoScoreException(
          "the sample has no target, but its scorer compares the output with one");
    }
    return targets;
  }

  static String output(SampleState state) {
    return state.output().orElse("");
  }

  /** An accent may be a character of its own or part of a letter; it looks the same. */
  static String normal(String text) {
    return Normalizer.normalize(text, Normalizer.Form.NFC);
  }

  /** Without white space around it, spaces that do not break among it. */
  private static String stripped(String text) {
    int begin = 0;
    int end = text.length();
    while (begin < end && isSpace(text.charAt(begin))) {
      begin++;
    }
    while (end > begin && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(begin, end);
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == ZERO_WIDTH || c == BOM;
  }

  /** Without white space around it, and without the case of letters if that does not count. */
  static String form(String text, boolean ignoreCase) {
    String stripped = stripped(normal(text));
    return ignoreCase ? stripped.toLowerCase(Locale.ROOT) : stripped;
  }
}

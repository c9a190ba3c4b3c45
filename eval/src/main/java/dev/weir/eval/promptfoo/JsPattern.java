package dev.weir.eval.promptfoo;

import dev.weir.eval.scorer.NoScoreException;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Regular expressions as JavaScript has them, without flags: what Java understands otherwise is
 * translated. The search is bounded, because some patterns take exponential time on some texts.
 */
final class JsPattern {

  /** A text of a megabyte is looked at a hundred times. */
  private static final long MOST_STEPS = 100_000_000;

  private static final Pattern REPEAT = Pattern.compile("\\{\\d+(?:,\\d*)?}");

  private JsPattern() {}

  /** What is wrong with a pattern; nothing if it can be used. */
  static Optional<String> problem(String pattern) {
    try {
      Pattern.compile(translated(pattern));
      return Optional.empty();
    } catch (PatternSyntaxException malformed) {
      return Optional.of(
          "/%s/ cannot be used as a regular expression: %s"
              .formatted(pattern, malformed.getDescription()));
    }
  }

  /**
   * Whether the pattern is found.
   *
   * @throws PatternSyntaxException if it is none
   */
  static boolean find(String pattern, String text) {
    return Pattern.compile(translated(pattern)).matcher(new Counted(text, new long[1])).find();
  }

  static String translated(String pattern) {
    var java = new StringBuilder();
    boolean inClass = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\' && i + 1 < pattern.length()) {
        char escaped = pattern.charAt(++i);
        java.append(c).append(escaped);
        if ("pPxN".indexOf(escaped) >= 0 && pattern.startsWith("{", i + 1)) {
          java.append(pattern.charAt(++i));
        }
      } else if (!inClass && c == '[') {
        if (pattern.startsWith("[^]", i)) {
          java.append("[\\s\\S]");
          i += 2;
        } else if (pattern.startsWith("[]", i)) {
          java.append("(?!)");
          i++;
        } else {
          inClass = true;
          java.append(c);
        }
      } else if (inClass && c == ']') {
        inClass = false;
        java.append(c);
      } else if (inClass && (c == '[' || c == '&')) {
        java.append('\\').append(c);
      } else if (!inClass
          && c == '{'
          && !REPEAT.matcher(pattern).region(i, pattern.length()).lookingAt()) {
        // As in {"a": 1}: JavaScript takes it for itself.
        java.append("\\{");
      } else if (!inClass && c == '$') {
        java.append("\\z");
      } else {
        java.append(c);
      }
    }
    return java.toString();
  }

  /**
   * A text that ends a search which looks at it too often.
   *
   * @param steps how often it was looked at, in one cell that parts of the text share
   */
  @SuppressWarnings("ArrayRecordComponent") // a shared counter, never compared
  private record Counted(CharSequence text, long[] steps) implements CharSequence {

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if (++steps[0] > MOST_STEPS) {
        throw new NoScoreException(
            "the regular expression takes too long on this output; make it simpler");
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Counted(text.subSequence(start, end), steps);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}

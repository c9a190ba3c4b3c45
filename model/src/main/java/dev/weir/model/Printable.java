package dev.weir.model;

/**
 * Text from files, models and people, made harmless for a terminal.
 *
 * <p>An escape sequence could move the cursor or rewrite what was shown before; a line break would
 * tear a table apart; a direction mark would show words in another order than they are in.
 */
public final class Printable {

  private static final String REPLACEMENT = "\uFFFD";

  private static final int DELETE = 0x7F;

  private Printable() {}

  /** Whether the text can be shown in one line as it is. */
  public static boolean isLine(String text) {
    for (int i = 0; i < text.length(); i++) {
      // All that control are single characters: halves of others are none of them.
      if (controls(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** The text in one line: a space for a line break or tab, a mark for any other control. */
  public static String line(String text) {
    if (isLine(text)) {
      return text;
    }
    var line = new StringBuilder();
    text.replace("\r\n", "\n")
        .codePoints()
        .forEach(
            c -> {
              if (!controls(c)) {
                line.appendCodePoint(c);
              } else {
                line.append(Character.isWhitespace(c) ? " " : REPLACEMENT);
              }
            });
    return line.toString();
  }

  private static boolean controls(int c) {
    if (c < DELETE) {
      return c < ' '; // nearly always, and there is a line for each attempt
    }
    return Character.isISOControl(c)
        || Character.getType(c) == Character.LINE_SEPARATOR
        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR
        || setsDirection(c);
  }

  /** Embeddings, overrides and isolates, which reach beyond the text they are in. */
  private static boolean setsDirection(int c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  }
}

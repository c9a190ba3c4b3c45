package dev.weir.cli;

import org.jline.utils.WCWidth;

/** How many columns of a terminal a text takes, and texts made to fit. */
final class Cells {

  private static final String ELLIPSIS = "…";

  /** Below, every character that can be printed takes one column. */
  private static final int FIRST_UNUSUAL = 0x300;

  private Cells() {}

  static int width(String text) {
    int width = 0;
    for (int i = 0; i < text.length(); ) {
      int character = text.codePointAt(i);
      width += width(character);
      i += Character.charCount(character);
    }
    return width;
  }

  private static int width(int character) {
    boolean isUsual =
        character < FIRST_UNUSUAL
            // Punctuation and the blocks that bars are made of.
            || (character >= 0x2010 && character <= 0x2026)
            || (character >= 0x2500 && character <= 0x259F);
    return isUsual ? 1 : Math.max(0, WCWidth.wcwidth(character));
  }

  /** The beginning of a text, if it does not fit as a whole. */
  static String cut(String text, int columns) {
    if (width(text) <= columns) {
      return text;
    }
    var kept = new StringBuilder();
    int used = 0;
    for (int i = 0; i < text.length() && columns > 0; ) {
      int character = text.codePointAt(i);
      used += width(character);
      if (used > columns - 1) {
        break;
      }
      kept.appendCodePoint(character);
      i += Character.charCount(character);
    }
    return columns <= 0 ? "" : kept + ELLIPSIS;
  }

  /** The beginning and the end of a name, if it does not fit: names of one kind differ there. */
  static String cutInside(String name, int columns) {
    if (width(name) <= columns || columns < 3) {
      return cut(name, columns);
    }
    int behind = (columns - 1) / 2;
    int from = name.length();
    while (from > 0 && width(name.substring(name.offsetByCodePoints(from, -1))) <= behind) {
      from = name.offsetByCodePoints(from, -1);
    }
    return cut(name, columns - width(name.substring(from))) + name.substring(from);
  }

  /** How many characters of a text fit. */
  static int fitting(String text, int columns) {
    int used = 0;
    int i = 0;
    while (i < text.length()) {
      int character = text.codePointAt(i);
      used += width(character);
      if (used > columns) {
        break;
      }
      i += Character.charCount(character);
    }
    return i;
  }

  /** A text of exactly so many columns. */
  static String fit(String text, int columns, boolean right) {
    String kept = cut(text, columns);
    String blank = " ".repeat(Math.max(0, columns - width(kept)));
    return right ? blank + kept : kept + blank;
  }
}

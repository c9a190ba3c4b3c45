package dev.weir.eval.dataset;

/**
 * What was read of a CSV file since the row that is looked at began, to say where its values stand:
 * the parser tells only the line of a row. Not thread-safe.
 */
final class RecentText {

  private final StringBuilder text = new StringBuilder();
  private long firstLine = 1;
  private long neededLine = 1;

  /** What stands before this line will not be asked for any more. */
  void forgetBefore(long line) {
    neededLine = line;
  }

  void add(char[] letters, int offset, int count) {
    text.delete(0, begin(neededLine));
    firstLine = neededLine;
    text.append(letters, offset, count);
  }

  /**
   * Line and column of a value; of the end of the row if it has fewer.
   *
   * @param line where the row begins
   * @param index of the value in the row, from 0
   */
  String placeOf(long line, int index) {
    var row = new Cursor(begin(line), line);
    for (int passed = 0; passed < index && row.passesValue(); passed++) {}
    return "line %d, column %d".formatted(row.line, row.at - row.lineBegin + 1);
  }

  private int begin(long line) {
    int at = 0;
    for (long passed = firstLine; passed < line; passed++) {
      while (at < text.length() && !isBreak(at)) {
        at++;
      }
      at = afterBreak(at);
    }
    return at;
  }

  private boolean isBreak(int at) {
    return text.charAt(at) == '\n' || text.charAt(at) == '\r';
  }

  /** Where the next line begins, if a line break of one or two letters is here. */
  private int afterBreak(int at) {
    boolean isTwo =
        at + 1 < text.length() && text.charAt(at) == '\r' && text.charAt(at + 1) == '\n';
    return Math.min(text.length(), at + (isTwo ? 2 : 1));
  }

  /** Goes along a row. */
  private final class Cursor {

    private int at;
    private long line;
    private int lineBegin;

    Cursor(int at, long line) {
      this.at = at;
      this.line = line;
      this.lineBegin = at;
    }

    /** Goes to the begin of the next value; false if the row ends before. */
    boolean passesValue() {
      boolean isQuoted = false;
      boolean isBegun = false;
      for (; at < text.length(); at++) {
        char letter = text.charAt(at);
        if (letter == '"' && (isQuoted || !isBegun)) {
          // A doubled quote ends the quoted part and begins it again.
          isQuoted = !isQuoted;
        } else if (!isQuoted && letter == ',') {
          at++;
          return true;
        } else if (isBreak(at)) {
          if (!isQuoted) {
            return false;
          }
          lineBegin = afterBreak(at);
          at = lineBegin - 1;
          line++;
        } else if (!isQuoted && letter > ' ') {
          isBegun = true;
        }
      }
      return false;
    }
  }
}

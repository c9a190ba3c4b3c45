package dev.weir.eval.tool;

import java.util.ArrayList;
import java.util.List;

/** A text by its lines, which are counted from 1. A line break at the end begins no new line. */
record NumberedLines(List<String> lines) {

  private static final int AROUND = 4;

  NumberedLines {
    lines = List.copyOf(lines);
  }

  static NumberedLines of(String text) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      int next = end < 0 ? text.length() : end + 1;
      lines.add(text.substring(start, end < 0 ? text.length() : end));
      start = next;
    }
    return new NumberedLines(lines);
  }

  int count() {
    return lines.size();
  }

  /** Where the given number of lines ends in the text. */
  static int endOf(String text, int number) {
    int end = 0;
    for (int line = 0; line < number; line++) {
      int next = text.indexOf('\n', end);
      end = next < 0 ? text.length() : next + 1;
    }
    return end;
  }

  /** The number of the line that a place in a text is in. */
  static int lineAt(String text, int place) {
    return 1 + (int) text.substring(0, place).chars().filter(c -> c == '\n').count();
  }

  /** Lines with their numbers, the last included. */
  String shown(int first, int last) {
    var shown = new StringBuilder();
    for (int number = first; number <= last; number++) {
      String line = lines.get(number - 1);
      shown
          .append(" ".repeat(Math.max(0, 6 - Integer.toString(number).length())))
          .append(number)
          .append('\t')
          .append(line.endsWith("\r") ? line.substring(0, line.length() - 1) : line)
          .append('\n');
    }
    return shown.toString();
  }

  /** Lines with a few before and after. */
  String around(int first, int last) {
    return shown(Math.max(1, first - AROUND), Math.min(count(), last + AROUND));
  }
}

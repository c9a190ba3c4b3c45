package dev.weir.eval.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** The stack trace of a failure, as the log has it. */
final class Traceback {

  /** A stack that overflowed has a thousand frames or more, which repeat themselves. */
  private static final int MOST_LINES = 200;

  /** An exception may have a whole document as its message. */
  private static final int MOST_CHARACTERS = 50_000;

  private Traceback() {}

  static String of(Throwable failure) {
    var text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    List<String> lines = text.toString().lines().toList();
    return bounded(String.join("\n", lines.size() > MOST_LINES ? ends(lines) : lines));
  }

  /** The place of the failure is at the beginning, its first cause at the end. */
  private static List<String> ends(List<String> lines) {
    int half = MOST_LINES / 2;
    List<String> ends = new ArrayList<>(lines.subList(0, half));
    ends.add("\t... %d lines omitted".formatted(lines.size() - MOST_LINES));
    ends.addAll(lines.subList(lines.size() - half, lines.size()));
    return ends;
  }

  private static String bounded(String text) {
    return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "…";
  }
}

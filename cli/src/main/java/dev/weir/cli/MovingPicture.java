package dev.weir.cli;

import java.io.PrintWriter;
import java.util.List;

/**
 * Lines at the end of a terminal that are painted over again and again, each time with one write.
 *
 * <p>The cursor is hidden and lines are not wrapped only while a picture is painted: wherever the
 * process ends, the terminal is as it was. Terminals that know how show a picture as a whole. Not
 * thread-safe.
 */
final class MovingPicture {

  private static final String ESC = "\u001b[";
  private static final String BEGIN = ESC + "?2026h" + ESC + "?25l" + ESC + "?7l";
  private static final String END = ESC + "?7h" + ESC + "?25h" + ESC + "?2026l";
  private static final String ERASE_REST_OF_LINE = ESC + "K";
  private static final String ERASE_BELOW = ESC + "J";

  private final PrintWriter out;
  private int columns = Integer.MAX_VALUE;
  private boolean isNarrower;
  private List<String> painted = List.of();

  MovingPicture(PrintWriter out) {
    this.out = out;
  }

  /** The terminal may have become narrower, and then has wrapped what was painted. */
  void resize(int newColumns) {
    isNarrower |= newColumns < columns;
    columns = Math.max(1, newColumns);
  }

  /** Paints over what was painted before. */
  void paint(List<String> lines) {
    var picture = new StringBuilder(BEGIN).append(toStart());
    for (int i = 0; i < lines.size(); i++) {
      picture.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(ERASE_REST_OF_LINE);
    }
    write(picture.append(ERASE_BELOW).append('\r').append(END));
    painted = List.copyOf(lines);
  }

  /** Takes away what was painted, and tells what that was. */
  List<String> erase() {
    List<String> before = painted;
    if (!before.isEmpty()) {
      write(new StringBuilder(toStart()).append(ERASE_BELOW));
      painted = List.of();
    }
    return before;
  }

  /** From the beginning of the last line to that of the first. */
  private String toStart() {
    int up = painted.size() - 1;
    if (isNarrower) {
      isNarrower = false;
      up = -1;
      for (String line : painted) {
        up += Math.max(1, Math.ceilDiv(width(line), columns));
      }
    }
    return up > 0 ? "\r" + ESC + up + "A" : "\r";
  }

  private static int width(String line) {
    return Cells.width(line.replaceAll("\u001b\\[[0-9;]*m", ""));
  }

  private void write(StringBuilder text) {
    out.print(text);
    out.flush();
  }
}

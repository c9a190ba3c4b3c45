package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MovingPictureTest {

  private final StringWriter out = new StringWriter();
  private final MovingPicture picture = new MovingPicture(new PrintWriter(out));

  /** What a terminal of endless height shows after all that was written. */
  private List<String> shown() {
    List<StringBuilder> lines = new ArrayList<>(List.of(new StringBuilder()));
    int row = 0;
    int column = 0;
    Matcher next =
        Pattern.compile("\u001b\\[(\\??)(\\d*)([A-Za-z])|([\\s\\S])").matcher(out.toString());
    while (next.find()) {
      String character = next.group(4);
      if (character == null) {
        switch (next.group(3)) {
          case "A" -> row -= Integer.parseInt(next.group(2));
          case "K" -> lines.get(row).setLength(Math.min(column, lines.get(row).length()));
          case "J" -> {
            lines.get(row).setLength(Math.min(column, lines.get(row).length()));
            lines.subList(row + 1, lines.size()).clear();
          }
          case "h", "l" -> assertThat(next.group(1)).isEqualTo("?");
          default -> throw new AssertionError(next.group());
        }
      } else if (character.equals("\r")) {
        column = 0;
      } else if (character.equals("\n")) {
        row++;
        column = 0;
        if (row == lines.size()) {
          lines.add(new StringBuilder());
        }
      } else {
        StringBuilder line = lines.get(row);
        while (line.length() <= column) {
          line.append(' ');
        }
        line.setCharAt(column++, character.charAt(0));
      }
    }
    return lines.stream().map(StringBuilder::toString).toList();
  }

  @Test
  void paintsOverWhatWasPaintedBefore() {
    picture.paint(List.of("first line", "second line", "third line"));
    picture.paint(List.of("1", "2"));
    assertThat(shown()).containsExactly("1", "2");
    picture.paint(List.of("a", "b", "c", "d"));
    assertThat(shown()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void whatIsWrittenBetweenStaysAbove() {
    picture.paint(List.of("a", "b"));
    List<String> before = picture.erase();
    out.write("a warning\n");
    picture.paint(before);
    picture.paint(List.of("A", "B"));
    assertThat(shown()).containsExactly("a warning", "A", "B");
    assertThat(picture.erase()).containsExactly("A", "B");
    assertThat(shown()).containsExactly("a warning", "");
    assertThat(picture.erase()).isEmpty();
  }

  @Test
  void leavesTheTerminalAsItWasAfterEachPicture() {
    picture.paint(List.of("a"));
    assertThat(out.toString())
        .startsWith("\u001b[?2026h\u001b[?25l\u001b[?7l")
        .endsWith("\u001b[?7h\u001b[?25h\u001b[?2026l");
  }

  @Test
  void aTerminalThatBecameNarrowerHasWrappedLines() {
    picture.resize(20);
    picture.paint(List.of("\u001b[36m0123456789\u001b[0m", "abc"));
    out.getBuffer().setLength(0);
    picture.resize(5);
    picture.paint(List.of("x"));
    assertThat(out.toString()).contains("\r\u001b[2A");
    out.getBuffer().setLength(0);
    picture.paint(List.of("x"));
    assertThat(out.toString()).doesNotContainPattern("\\[\\d+A");
  }
}

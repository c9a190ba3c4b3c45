package dev.weir.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help;

/** Examples at the end of a help: they can be copied into a shell, however long they are. */
final class Examples {

  private static final int WIDTH = 80;
  private static final String CONTINUED = " \\";
  private static final String INDENT = "      ";

  private Examples() {}

  /** The section of a help that has them. */
  static String render(Help help) {
    var text = new StringBuilder();
    for (String line : help.commandSpec().usageMessage().footer()) {
      // It is a format of picocli's: %% for a percent sign.
      for (String part : broken(line.replace("%%", "%"))) {
        text.append(help.colorScheme().ansi().string(part)).append(System.lineSeparator());
      }
    }
    return text.toString();
  }

  /** The lines of a command that is too long for one, as a shell reads them. */
  static List<String> broken(String line) {
    List<String> lines = new ArrayList<>();
    String rest = line;
    while (rest.length() > WIDTH) {
      int end = lastSpace(rest, WIDTH - CONTINUED.length());
      if (end < 0) {
        break;
      }
      lines.add(rest.substring(0, end) + CONTINUED);
      rest = INDENT + rest.substring(end + 1);
    }
    lines.add(rest);
    return lines;
  }

  /** The last one before a column between two words of a shell; negative if there is none. */
  private static int lastSpace(String line, int before) {
    int found = -1;
    char quote = 0;
    boolean isInWord = false;
    for (int i = 0; i <= before; i++) {
      char c = line.charAt(i);
      if (c == ' ' && quote == 0 && isInWord) {
        found = i;
      }
      isInWord |= c != ' ';
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      }
    }
    return found;
  }
}

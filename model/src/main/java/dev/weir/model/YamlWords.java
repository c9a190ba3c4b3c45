package dev.weir.model;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says in plain words what is wrong with a file that is no YAML: what the writer has done, and what
 * to do about it, rather than what a parser expected.
 */
public final class YamlWords {

  private static final Pattern CHARACTER =
      Pattern.compile("found character '(.)[^']*' that cannot start any token.*");
  private static final Pattern ALIAS = Pattern.compile("found undefined alias (.*)");
  private static final Pattern ESCAPE =
      Pattern.compile("found unknown escape character (.)\\(\\d+\\)");
  private static final Pattern CLOSING = Pattern.compile("expected ',' or '([\\]}])'.*");
  private static final Pattern KEY = Pattern.compile("\\s*(?:- +)*[^\\s#:][^:]*:(?:\\s.*)?");

  private static final Pattern NEEDED =
      Pattern.compile("expected the node content, but found '(.*)'");
  private static final Pattern HANDLE = Pattern.compile("found undefined tag handle (.*)");

  private YamlWords() {}

  /**
   * The whole message about a problem of which the parser does not tell the place.
   *
   * @param file as people know it
   * @param text what is in it
   * @param problem as the parser says it
   */
  public static String message(String file, String text, String problem) {
    boolean isCharacter = problem.startsWith("special characters are not allowed");
    int at = isCharacter ? unreadable(text) : 0;
    int line = (int) text.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
    int column = at - text.lastIndexOf('\n', at - 1);
    String words =
        isCharacter
            ? "there is a character that no text has (U+%04X); remove it, or save the file as UTF-8"
                .formatted(text.codePointAt(at))
            : words(List.of(), problem, line, column, "");
    return "%s, line %d, column %d: the file is not YAML: %s".formatted(file, line, column, words);
  }

  /** Where the first character stands that YAML does not have. */
  private static int unreadable(String text) {
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      boolean isBreakOrTab = c == '\n' || c == '\r' || c == '\t' || c == 0x85;
      if (!isBreakOrTab && (c < ' ' || (c > '~' && c < 0xA0) || c > 0xFFFD)) {
        return at;
      }
    }
    return 0;
  }

  /**
   * The whole message, with the place.
   *
   * @param file as people know it
   * @param text what is in it
   * @param problem as the parser says it
   * @param line of the problem, from 1
   * @param column of the problem, from 1
   * @param begun where what could not be read begins, for people; empty if that is not known
   */
  public static String message(
      String file, String text, String problem, int line, int column, Optional<String> begun) {
    List<String> lines = text.lines().toList();
    return "%s, line %d, column %d: the file is not YAML: %s"
        .formatted(file, line, column, words(lines, problem, line, column, begun.orElse("")));
  }

  private static String words(
      List<String> lines, String problem, int line, int column, String begun) {
    String at = begun.isEmpty() ? "" : " at " + begun;
    Matcher character = CHARACTER.matcher(problem);
    if (problem.contains("(TAB)")) {
      return "there is a tab; indent with spaces";
    }
    if (character.matches()) {
      return "a text cannot begin with %1$s; put it in quotes".formatted(character.group(1));
    }
    Matcher closing = CLOSING.matcher(problem);
    if (closing.matches()) {
      boolean isList = closing.group(1).equals("]");
      return problem.endsWith("got {")
          ? "put ${…} and {{ … }} in quotes here"
          : "the %s%s is not closed before this; add %s, or put a text with : { } [ ] , in quotes"
              .formatted(isList ? "list [" : "mapping {", at, closing.group(1));
    }
    Matcher alias = ALIAS.matcher(problem);
    if (alias.matches()) {
      return "*%1$s refers to &%1$s, which is nowhere before; put a text that begins with * in quotes"
          .formatted(alias.group(1));
    }
    Matcher escape = ESCAPE.matcher(problem);
    if (escape.matches()) {
      return "\\%1$s means nothing in double quotes; write \\\\%1$s, or use single quotes"
          .formatted(escape.group(1));
    }
    if (problem.startsWith("found unexpected end of stream")) {
      return "the quote%s is not closed".formatted(at);
    }
    if (problem.startsWith("mapping values are not allowed here")) {
      return colon(lines, line, column);
    }
    if (problem.startsWith("expected <block end>")) {
      return "this does not go on with what begins%s; keys and items of one list or mapping are"
              .formatted(at)
          + " indented alike, and are not mixed";
    }
    if (problem.startsWith("could not find expected ':'")) {
      return "what stands%s needs a colon and a value (key: value)".formatted(at);
    }
    if (problem.startsWith("but found another document")
        || problem.startsWith("expected '<document start>'")) {
      return "a file holds one document; what comes here is another one";
    }
    return rare(problem);
  }

  private static String rare(String problem) {
    if (problem.startsWith("expected chomping or indentation indicators")
        || problem.startsWith("expected indentation indicator")
        || problem.startsWith("expected a comment or a line break")) {
      return "after | or > the text begins on the next line; put a text that begins with | or > in"
          + " quotes";
    }
    if (problem.startsWith("Number of aliases")) {
      return "there are more than 50 references (*name) to lists and mappings; write them out, or"
          + " put a text that begins with * in quotes";
    }
    Matcher handle = HANDLE.matcher(problem);
    if (handle.matches()
        || problem.startsWith("expected URI")
        || problem.startsWith("expected '!'")
        || problem.startsWith("expected ' '")) {
      return "a text that begins with ! must be in quotes";
    }
    if (problem.startsWith("expected alphabetic or numeric character")
        || problem.startsWith("unexpected character found")) {
      return "a text that begins with & or * must be in quotes";
    }
    if (problem.startsWith("expected escape sequence of")) {
      return "\\x, \\u and \\U are followed by 2, 4 and 8 hexadecimal digits; write \\\\ for a"
          + " backslash, or use single quotes";
    }
    if (problem.startsWith("found unexpected document separator")) {
      return "there is a --- or ... within quotes; is a quote not closed?";
    }
    if (problem.contains("are not allowed here")) {
      return "a list or key does not begin here; put it on a line of its own, or in quotes if it is"
          + " a text";
    }
    Matcher needed = NEEDED.matcher(problem);
    if (needed.matches()) {
      return needed.group(1).equals("<stream end>")
          ? "the file ends where a value is needed; is a [ or { not closed?"
          : "a value is needed here, but there is '%s'; put a text that begins with it in quotes"
              .formatted(Printable.line(needed.group(1)));
    }
    return Printable.line(problem);
  }

  /** A colon where none may be: a line that is indented too far, or a text that needs quotes. */
  private static String colon(List<String> lines, int line, int column) {
    String written = line <= lines.size() ? lines.get(line - 1) : "";
    String before = written.substring(0, Math.min(Math.max(0, column - 1), written.length()));
    if (before.contains(": ")) {
      return "a text with a colon and a space must be in quotes";
    }
    for (int above = line - 2; above >= 0; above--) {
      String other = lines.get(above);
      if (other.isBlank() || other.strip().startsWith("#")) {
        continue;
      }
      boolean isDeeper = indentation(written) > indentation(other);
      return isDeeper && KEY.matcher(other).matches()
          ? "this line is indented more than line %d, which has its value already; align it"
              .formatted(above + 1)
          : "a key does not fit here; check the indentation of this line and of line %d"
              .formatted(above + 1);
    }
    return "a key does not fit here; check the indentation";
  }

  private static int indentation(String line) {
    return line.length() - line.stripLeading().length();
  }
}

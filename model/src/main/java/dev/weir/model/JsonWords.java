package dev.weir.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says in plain words what is wrong with a text that is no JSON: what the writer has done, and what
 * to do about it, rather than what a parser expected.
 */
public final class JsonWords {

  private static final Pattern CHARACTER =
      Pattern.compile("Unexpected character \\('(.+?)' \\(code \\d+[^)]*\\)\\)[,:]? ?(.*)");
  private static final Pattern TOKEN = Pattern.compile("Unrecognized token '([^']*)'.*");
  private static final Pattern CONTROL =
      Pattern.compile("Illegal unquoted character .*code (\\d+).*");
  private static final Pattern ESCAPE = Pattern.compile("Unrecognized character escape '(.)'.*");
  private static final Pattern TWICE =
      Pattern.compile("Duplicate (?:Object property|field) ['\"](.*)['\"]");
  private static final Pattern CLOSING =
      Pattern.compile("Unexpected close marker '(.)': expected '(.)'.*");

  private JsonWords() {}

  /**
   * @param problem as the parser says it
   */
  public static String of(String problem) {
    // What follows the first line is about the parser's own buffers.
    String first = problem.lines().findFirst().orElse("");
    Matcher character = CHARACTER.matcher(first);
    if (character.matches()) {
      return unexpected(character.group(1), character.group(2));
    }
    Matcher token = TOKEN.matcher(first);
    if (token.matches()) {
      return "'%s' is no value; write texts in double quotes, else a number, true, false or null"
          .formatted(Printable.line(token.group(1)));
    }
    Matcher control = CONTROL.matcher(first);
    if (control.matches()) {
      return switch (control.group(1)) {
        case "10", "13" ->
            "a line ends within a text; close the quote, or write \\n for a new line";
        case "9" -> "there is a tab within a text; write \\t";
        default -> "there is a control character within a text; remove it";
      };
    }
    Matcher escape = ESCAPE.matcher(first);
    if (escape.matches()) {
      return "\\%1$s means nothing in a text; write \\\\%1$s".formatted(escape.group(1));
    }
    Matcher twice = TWICE.matcher(first);
    if (twice.matches()) {
      return "the key '%s' is there twice; remove one".formatted(Printable.line(twice.group(1)));
    }
    Matcher closing = CLOSING.matcher(first);
    if (closing.matches()) {
      return "there is a %s where %s is to be closed first"
          .formatted(closing.group(1), closing.group(2).equals("]") ? "a list [" : "an object {");
    }
    return other(first);
  }

  private static String unexpected(String found, String expected) {
    if (expected.contains("property name") && !expected.contains("colon")) {
      return found.equals("}")
          ? "there is a comma before the }; remove it"
          : "a key must be in double quotes, but here is %s".formatted(found);
    }
    if (expected.contains("colon")) {
      return "a colon is missing between a key and its value, before %s".formatted(found);
    }
    if (expected.contains("comma")) {
      return "a comma is missing before %s, or what is opened before it is to be closed"
          .formatted(found);
    }
    return found.equals("]") || found.equals("}")
        ? "a value is missing before %s; remove the comma or colon before it, or add the value"
            .formatted(found)
        : "no value begins with %s; texts are written in double quotes".formatted(found);
  }

  private static String other(String problem) {
    if (problem.startsWith("Unexpected end-of-input")) {
      return "it ends within a value; is it cut off, or a bracket or quote not closed?";
    }
    if (problem.contains("eading zero")) {
      return "a number must not begin with 0; put it in quotes if it is no number";
    }
    if (problem.contains("on-standard token")) {
      return "NaN and Infinity are no values; use null or a text";
    }
    if (problem.contains("surrogate")) {
      return halfCharacter(problem.contains("property name") ? "a key" : "a text");
    }
    if (problem.contains("nesting depth")) {
      return "it is nested too deeply";
    }
    if (problem.contains("exceeds the maximum")) {
      return "a key, text or number is too long to be read";
    }
    return Printable.line(problem);
  }

  /** What is wrong with half a character, and what to do about it. */
  public static String halfCharacter(String what) {
    return "%s has half a character, as \\ud83d without its other half; write all of it, or remove it"
        .formatted(what);
  }
}

package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The directives in a text, {@code [[name: value]]} or {@code [[name]]}, in order. Other double
 * brackets are left alone.
 *
 * <p>A value ends at the first {@code ]]} that is not within braces, so that it may hold JSON.
 */
final class Directives {

  private static final String BEGIN = "[[";
  private static final String END = "]]";

  /** More are not read: nobody needs them, and prompts may be large. */
  private static final int MOST = 1_000;

  private static final int LONGEST = 1 << 20;

  private final List<Directive> all;

  private Directives(List<Directive> all) {
    this.all = all;
  }

  /**
   * @param value without the blanks around it; empty if there is none
   */
  record Directive(String name, String value) {}

  static Directives in(String text, Set<String> names) {
    List<Directive> found = new ArrayList<>();
    int from = text.indexOf(BEGIN);
    int tried = 0;
    while (from >= 0 && tried < MOST) {
      int begin = from + BEGIN.length();
      String name = name(text, begin);
      if (names.contains(name)) {
        tried++;
        read(text, begin, name).ifPresent(found::add);
      }
      from = text.indexOf(BEGIN, begin);
    }
    return new Directives(found);
  }

  private static String name(String text, int begin) {
    int end = begin;
    while (end < text.length()
        && (Character.isLetter(text.charAt(end)) || text.charAt(end) == '-')) {
      end++;
    }
    return text.substring(begin, end);
  }

  private static Optional<Directive> read(String text, int begin, String name) {
    int colon = begin + name.length();
    if (text.startsWith(END, colon)) {
      return Optional.of(new Directive(name, ""));
    }
    int end = text.startsWith(":", colon) ? end(text, colon + 1) : -1;
    return end < 0
        ? Optional.empty()
        : Optional.of(new Directive(name, text.substring(colon + 1, end).strip()));
  }

  /** Where a value ends; without balanced braces at the first end there is. */
  private static int end(String text, int from) {
    int bound = Math.min(text.length(), from + LONGEST);
    int first = text.indexOf(END, from, bound);
    int depth = 0;
    boolean quoted = false;
    for (int i = from; first >= 0 && i < bound; i++) {
      char c = text.charAt(i);
      if (quoted) {
        if (c == '\\') {
          i++;
        } else {
          quoted = c != '"';
        }
      } else if (depth > 0 && c == '"') {
        quoted = true;
      } else if (c == '{') {
        depth++;
      } else if (c == '}') {
        depth--;
      } else if (depth <= 0 && text.startsWith(END, i)) {
        return i;
      }
    }
    return first;
  }

  boolean has(String name) {
    return all.stream().anyMatch(directive -> directive.name.equals(name));
  }

  /** The values of a name that are not empty, in order. */
  List<String> values(String name) {
    return all.stream()
        .filter(directive -> directive.name.equals(name) && !directive.value.isEmpty())
        .map(Directive::value)
        .toList();
  }

  /** The last of them. */
  Optional<String> last(String name) {
    List<String> values = values(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(values.getLast());
  }
}

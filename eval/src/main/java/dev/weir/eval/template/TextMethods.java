package dev.weir.eval.template;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of texts and maps that prompts written for Python use, as they are there. */
final class TextMethods {

  private TextMethods() {}

  /** What the method gives; null if there is none of that name for so many arguments. */
  static @Nullable Object call(@Nullable Object base, String method, Object[] arguments) {
    return switch (base) {
      case String text -> ofText(text, method, arguments);
      case Map<?, ?> map -> ofMap(map, method, arguments);
      case null, default -> null;
    };
  }

  private static @Nullable Object ofText(String text, String method, Object[] given) {
    return switch (given.length) {
      case 0 -> plain(text, method);
      case 1 ->
          given[0] instanceof Iterable<?> items
              ? (method.equals("join") ? join(text, items) : null)
              : withOne(text, method, String.valueOf(given[0]));
      case 2 ->
          method.equals("replace")
              ? text.replace(String.valueOf(given[0]), String.valueOf(given[1]))
              : null;
      default -> null;
    };
  }

  private static @Nullable Object plain(String text, String method) {
    return switch (method) {
      case "strip" -> text.strip();
      case "lstrip" -> text.stripLeading();
      case "rstrip" -> text.stripTrailing();
      case "upper" -> text.toUpperCase(Locale.ROOT);
      case "lower" -> text.toLowerCase(Locale.ROOT);
      case "capitalize" -> capitalized(text);
      case "split" -> text.isBlank() ? List.of() : Arrays.asList(text.strip().split("\\s+", -1));
      case "splitlines" -> text.lines().toList();
      default -> null;
    };
  }

  private static @Nullable Object withOne(String text, String method, String given) {
    return switch (method) {
      case "strip" -> stripped(text, given, true, true);
      case "lstrip" -> stripped(text, given, true, false);
      case "rstrip" -> stripped(text, given, false, true);
      case "startswith" -> text.startsWith(given);
      case "endswith" -> text.endsWith(given);
      case "find" -> (long) text.indexOf(given);
      case "split" -> given.isEmpty() ? null : pieces(text, given);
      default -> null;
    };
  }

  private static @Nullable Object ofMap(Map<?, ?> map, String method, Object[] given) {
    return switch (method) {
      case "items" ->
          given.length == 0
              ? map.entrySet().stream()
                  .map(entry -> Arrays.asList(entry.getKey(), entry.getValue()))
                  .toList()
              : null;
      case "keys" -> given.length == 0 ? new ArrayList<>(map.keySet()) : null;
      case "values" -> given.length == 0 ? new ArrayList<>(map.values()) : null;
      case "get" -> member(map, given);
      default -> null;
    };
  }

  private static @Nullable Object member(Map<?, ?> map, Object[] given) {
    if (given.length < 1 || given.length > 2) {
      return null;
    }
    Object value = map.get(String.valueOf(given[0]));
    Object otherwise = given.length == 2 ? given[1] : "";
    return value == null ? otherwise : value;
  }

  private static String capitalized(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toUpperCase(Locale.ROOT)
            + text.substring(1).toLowerCase(Locale.ROOT);
  }

  private static List<String> pieces(String text, String separator) {
    List<String> pieces = new ArrayList<>();
    int from = 0;
    for (int at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, from)) {
      pieces.add(text.substring(from, at));
      from = at + separator.length();
    }
    pieces.add(text.substring(from));
    return pieces;
  }

  private static String stripped(String text, String characters, boolean left, boolean right) {
    int from = 0;
    int to = text.length();
    while (left && from < to && characters.indexOf(text.charAt(from)) >= 0) {
      from++;
    }
    while (right && to > from && characters.indexOf(text.charAt(to - 1)) >= 0) {
      to--;
    }
    return text.substring(from, to);
  }

  private static String join(String separator, Iterable<?> items) {
    List<String> texts = new ArrayList<>();
    items.forEach(item -> texts.add(String.valueOf(item)));
    return String.join(separator, texts);
  }
}

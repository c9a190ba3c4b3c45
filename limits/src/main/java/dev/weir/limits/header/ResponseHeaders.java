package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The headers that tell limits, and the date, by name in lower case; bounded in what a hostile
 * server can make us look at. A header that is missing, blank or too long is the empty text.
 */
final class ResponseHeaders {

  static final String DATE = "date";

  private static final int MAX_NAME_LENGTH = 128;
  private static final int MAX_VALUE_LENGTH = 4096;
  private static final int MAX_LINES_PER_NAME = 16;

  /** Sorted, so that the facts do not depend on the order of somebody's hash map. */
  private final NavigableMap<String, List<String>> lines = new TreeMap<>();

  private boolean tellLimits;

  ResponseHeaders(Map<String, ? extends Collection<String>> headers) {
    for (Map.Entry<String, ? extends Collection<String>> header : headers.entrySet()) {
      String name = header.getKey();
      // Some clients keep the status line under a null name.
      if (name != null && name.length() <= MAX_NAME_LENGTH) {
        addIfRead(name.toLowerCase(Locale.ROOT), header.getValue());
      }
    }
  }

  /** Most headers are about something else. */
  private void addIfRead(String name, Collection<String> values) {
    boolean tellsLimit = name.contains("limit") || name.contains("retry-after");
    if (tellsLimit || name.equals(DATE)) {
      for (String value : values) {
        add(name, value);
      }
      tellLimits |= tellsLimit;
    }
  }

  private void add(String name, String value) {
    if (value == null || value.length() > MAX_VALUE_LENGTH || value.isBlank()) {
      return;
    }
    List<String> known = lines.computeIfAbsent(name, _ -> new ArrayList<>(1));
    if (known.size() < MAX_LINES_PER_NAME) {
      known.add(value.strip());
    }
  }

  /** Whether there is anything about limits among them. */
  boolean tellLimits() {
    return tellLimits;
  }

  /** The first line: a header that should be there once and is repeated repeats itself. */
  String first(String name) {
    List<String> known = lines.get(name);
    return known == null ? "" : known.getFirst();
  }

  /** All lines as one comma-separated list, which is what RFC 9110 takes them for. */
  List<ListMember> list(String name) {
    List<ListMember> members = new ArrayList<>();
    for (String line : lines.getOrDefault(name, List.of())) {
      members.addAll(ListMember.parse(line));
    }
    return members;
  }

  boolean contains(String name) {
    return lines.containsKey(name);
  }

  /** The names that begin so, in alphabetical order. */
  Collection<String> namesFrom(String prefix) {
    String first = lines.ceilingKey(prefix);
    return first == null || !first.startsWith(prefix)
        ? List.of()
        : lines.subMap(prefix, true, prefix + Character.MAX_VALUE, false).keySet();
  }
}

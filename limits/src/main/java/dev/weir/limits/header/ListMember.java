package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A member of a list header: {@code "burst";q=10;w=1}, or {@code 60000;w=60} of the older drafts.
 *
 * <p>Reads what structured fields (RFC 9651) and the habits before them have in common, and is
 * lenient: numbers, tokens and strings are all text here, blanks may stand anywhere around them,
 * and a member that makes no sense does not take the others with it.
 *
 * @param value without quotes
 * @param parameters by name in lower case
 */
record ListMember(String value, Map<String, String> parameters) {

  private static final int MAX_MEMBERS = 32;
  private static final int MAX_PARAMETERS = 16;

  static List<ListMember> parse(String header) {
    return new Reader(header).members();
  }

  /** Empty if there is none of that name. */
  String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  /** Each call moves on by at least one character, or to the end. */
  private static final class Reader {

    private final String header;
    private int at;

    Reader(String header) {
      this.header = header;
    }

    List<ListMember> members() {
      List<ListMember> members = new ArrayList<>();
      while (at < header.length() && members.size() < MAX_MEMBERS) {
        members.add(member());
        at++; // the comma
      }
      return members;
    }

    private ListMember member() {
      String value = text();
      Map<String, String> parameters = new HashMap<>();
      while (at < header.length() && header.charAt(at) == ';') {
        at++;
        String parameter = text();
        int equals = parameter.indexOf('=');
        if (equals > 0 && parameters.size() < MAX_PARAMETERS) {
          parameters.put(
              parameter.substring(0, equals).strip().toLowerCase(Locale.ROOT),
              parameter.substring(equals + 1).strip());
        }
      }
      return new ListMember(value, parameters);
    }

    /** Up to the next comma or semicolon outside of quotes; the quotes themselves are dropped. */
    private String text() {
      StringBuilder text = new StringBuilder();
      boolean quoted = false;
      for (; at < header.length(); at++) {
        char character = header.charAt(at);
        if (character == '"') {
          quoted = !quoted;
        } else if (quoted && character == '\\' && at + 1 < header.length()) {
          at++;
          text.append(header.charAt(at));
        } else if (!quoted && (character == ',' || character == ';')) {
          break;
        } else {
          text.append(character);
        }
      }
      return text.toString().strip();
    }
  }
}

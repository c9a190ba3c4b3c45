package dev.weir.providers.http;

import dev.weir.model.Secret;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Credentials that somebody has written into a request himself, known by the names before them.
 *
 * <p>What is found is taken out of answers, too. So a word that may stand in any answer counts only
 * behind a name that leaves no doubt: {@code sort_key: relevance} is none.
 */
public final class NamedCredentials {

  private static final Pattern NAMES =
      Pattern.compile(
          "(?i).*(?:key(?!board|word)|token(?!s|iz)|secret|passw|passphrase|credential|auth(?!or(?!iz))|cookie).*");

  private static final Pattern CLEAR_NAMES =
      Pattern.compile(
          "(?i).*(?:api[_-]?key|access[_-]?(?:key|token)|secret|passw|passphrase|authorization).*");

  private static final Pattern ORDINARY = Pattern.compile("[A-Za-z]?[a-z_-]+|[A-Z_-]+|[\\d.]+");

  private final List<Secret> found = new ArrayList<>();

  private NamedCredentials() {}

  /** Those of headers, or of variables of a program. */
  public static Secret in(Map<String, String> pairs) {
    var credentials = new NamedCredentials();
    pairs.forEach(credentials::addHeader);
    return Secret.all(credentials.found);
  }

  /**
   * Those of fields of a body, at any depth.
   *
   * @param fields each a JSON text
   */
  public static Secret inFields(Map<String, String> fields) {
    var credentials = new NamedCredentials();
    fields.forEach((name, json) -> credentials.addField(name, Json.parseOrAbsent(json)));
    return Secret.all(credentials.found);
  }

  /**
   * Those of the query of an address.
   *
   * @param query as it stands there; empty if there is none
   */
  public static Secret inQuery(String query) {
    var credentials = new NamedCredentials();
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        String name = pair.substring(0, equals);
        String value = pair.substring(equals + 1);
        credentials.add(name, value);
        credentials.add(name, decoded(value));
      }
    }
    return Secret.all(credentials.found);
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      return value;
    }
  }

  private void addField(String name, Json value) {
    value.names().forEach(member -> addField(member, value.at(member)));
    value.list().forEach(member -> addField(name, member));
    value.scalar().ifPresent(text -> add(name, text));
  }

  /** As others may repeat it: all of it, or without the scheme before it. */
  private void addHeader(String name, String value) {
    add(name, value);
    String[] words = value.strip().split("\\s+", 2);
    if (words.length == 2) {
      add(name, words[1]);
      if (words[0].equalsIgnoreCase("Basic")) {
        addUser(name, words[1]);
      }
    }
    if (name.toLowerCase(Locale.ROOT).contains("cookie")) {
      for (String cookie : value.split(";", -1)) {
        add(name, cookie.substring(cookie.indexOf('=') + 1).strip());
      }
    }
  }

  private void addUser(String name, String base64) {
    try {
      String user = new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
      add(name, user);
      add(name, user.substring(user.indexOf(':') + 1));
    } catch (IllegalArgumentException notBase64) {
      // Then there is nothing else to know it by.
    }
  }

  private void add(String name, String value) {
    // A gap is filled with what is asked, which is no credential.
    boolean isGap = value.contains("{{");
    boolean isNamedSo =
        CLEAR_NAMES.matcher(name).matches()
            || (NAMES.matcher(name).matches() && !ORDINARY.matcher(value).matches());
    if (isNamedSo && !isGap) {
      found.add(new Secret(value));
    }
  }
}

package dev.weir.eval.option;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes credentials out of words that are shown or kept. Immutable. */
public final class Secrets {

  private static final String HIDDEN = "…";

  /** Shorter values are no credentials, and would be found everywhere. */
  private static final int SHORTEST = 8;

  private static final Pattern NAMES =
      Pattern.compile("(?i).*(key|token|secret|passw|passphrase|credential|auth|cookie).*");

  /** What stands behind such a key is nobody's business. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)(\"?[\\w-]*(?:api[_-]?key|token|secret|password|authorization)\"?\\s*[=:]\\s*)"
              + "(\"[^\"]*\"|[^,}\\s]+)");

  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");

  private final List<String> values;

  /**
   * @param environment variables, credentials among them
   */
  public Secrets(Map<String, String> environment) {
    this.values =
        environment.entrySet().stream()
            .filter(variable -> NAMES.matcher(variable.getKey()).matches())
            .map(Map.Entry::getValue)
            .filter(value -> value.length() >= SHORTEST)
            // One may be the beginning of another, whose rest would stay.
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /** The same pairs without what may be a credential: by its value, or by its name. */
  public Map<String, String> hidden(Map<String, String> pairs) {
    Map<String, String> shown = new LinkedHashMap<>();
    pairs.forEach(
        (name, value) ->
            shown.put(name, NAMED.matcher(name + "=x").matches() ? HIDDEN : hidden(value)));
    return shown;
  }

  /** Whether something was taken out of a text. */
  public static boolean isHidden(String text) {
    return text.contains(HIDDEN);
  }

  /** Of pairs, those of which nothing was taken out, as one word; absent if there are none. */
  public static Optional<String> withoutHidden(String word) {
    Map<String, String> pairs = new LinkedHashMap<>(Pairs.parse(word).orElse(Map.of()));
    pairs.values().removeIf(Secrets::isHidden);
    return pairs.isEmpty() ? Optional.empty() : Optional.of(Pairs.word(pairs));
  }

  /** The keys of pairs of which something was taken out. */
  public static List<String> hiddenKeys(String word) {
    return Pairs.parse(word).orElse(Map.of()).entrySet().stream()
        .filter(pair -> isHidden(pair.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The keys of all pairs. */
  public static Set<String> keys(String word) {
    return Pairs.parse(word).orElse(Map.of()).keySet();
  }

  /** The same text without what may be a credential. */
  public String hidden(String text) {
    // In quotes if it was: JSON stays JSON.
    String shown =
        NAMED
            .matcher(text)
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(1)
                            + (found.group(2).startsWith("\"") ? "\"" + HIDDEN + "\"" : HIDDEN)));
    shown = USER_INFO.matcher(shown).replaceAll("//" + HIDDEN + "@");
    for (String value : values) {
      shown = shown.replace(value, HIDDEN);
    }
    return shown;
  }
}

package dev.weir.eval.option;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Takes credentials out of words that are shown or kept. Immutable. */
public final class Secrets {

  private static final String HIDDEN = "…";

  /** Shorter values are no credentials, and would be found everywhere. */
  private static final int SHORTEST = 8;

  private static final Pattern NAMES =
      Pattern.compile("(?i).*(key|token|secret|password|credential|auth).*");

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
            .toList();
  }

  /** The same text without what may be a credential. */
  public String hidden(String text) {
    String shown = NAMED.matcher(text).replaceAll("$1" + HIDDEN);
    shown = USER_INFO.matcher(shown).replaceAll("//" + HIDDEN + "@");
    for (String value : values) {
      shown = shown.replace(value, HIDDEN);
    }
    return shown;
  }
}

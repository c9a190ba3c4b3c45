package dev.weir.eval;

import dev.weir.model.ModelName;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/**
 * A model however it is spelled: settings in its name, as in {@code sim/a:accuracy=0.50,rpm=0}, are
 * the same in any order, and numbers with any zeros.
 *
 * @param plain its name without settings
 * @param settings those in its name, or arguments
 */
record ModelSpelling(String provider, String plain, Map<String, String> settings) {

  static ModelSpelling of(ModelName name) {
    int colon = name.model().indexOf(':');
    Map<String, String> settings = new TreeMap<>();
    if (colon >= 0) {
      for (String part : name.model().substring(colon + 1).split(",", -1)) {
        int equals = part.indexOf('=');
        if (equals < 0) {
          // No settings, but a version.
          return new ModelSpelling(name.place(), name.model(), Map.of());
        }
        settings.put(part.substring(0, equals).strip(), value(part.substring(equals + 1).strip()));
      }
    }
    String plain = colon < 0 ? name.model() : name.model().substring(0, colon);
    return new ModelSpelling(name.place(), plain, settings);
  }

  /** Arguments, likewise. */
  static Map<String, String> values(Map<String, String> arguments) {
    Map<String, String> values = new TreeMap<>();
    arguments.forEach((key, word) -> values.put(key, value(word)));
    return values;
  }

  private static String value(String word) {
    try {
      BigDecimal number = new BigDecimal(word);
      return number.scale() > 100 || number.scale() < -100
          ? word
          : number.stripTrailingZeros().toPlainString();
    } catch (NumberFormatException text) {
      return word;
    }
  }
}

package dev.weir.eval.option;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Words of the form {@code key=value,key=value}, or a JSON object. */
final class Pairs {

  static final String RULE = "of the form key=value, for example accuracy=0.6";

  /** Of several in one word; a comma inside a value is part of it. Metrics may have a slash. */
  private static final Pattern BEFORE_A_KEY = Pattern.compile(",(?=\\s*[A-Za-z_][\\w./-]*\\s*=)");

  private static final JsonMapper JSON = new JsonMapper();

  private Pairs() {}

  /** Of a key that is given twice, the last value holds. */
  static Optional<Map<String, String>> parse(String word) {
    if (word.stripLeading().startsWith("{")) {
      return ofJson(word);
    }
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : BEFORE_A_KEY.split(word, -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        return Optional.empty();
      }
      pairs.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return Optional.of(pairs);
  }

  private static Optional<Map<String, String>> ofJson(String word) {
    try {
      JsonNode object = JSON.readTree(word);
      Map<String, String> pairs = new LinkedHashMap<>();
      object
          .properties()
          .forEach(
              pair ->
                  pairs.put(
                      pair.getKey(),
                      pair.getValue().isString()
                          ? pair.getValue().asString()
                          : pair.getValue().toString()));
      return Optional.of(pairs);
    } catch (JacksonException malformed) {
      return Optional.empty();
    }
  }

  /** Both, as one word; what cannot be read is left for whoever reads it to complain of. */
  static String merge(String above, String below) {
    Optional<Map<String, String>> first = parse(above);
    Optional<Map<String, String>> second = parse(below);
    if (first.isEmpty() || second.isEmpty()) {
      return first.isEmpty() ? above : below;
    }
    Map<String, String> merged = new LinkedHashMap<>(second.get());
    merged.putAll(first.get());
    return word(merged);
  }

  static String word(Map<String, String> pairs) {
    return JSON.writeValueAsString(pairs);
  }
}

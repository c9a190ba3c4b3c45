package dev.weir.eval.option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Words of the form {@code key=value,key=value}, or a JSON object. A comma ends a pair where a key
 * and {@code =} follow, and else belongs to the value. The arguments of a model look just like
 * pairs, {@code grader=sim/x:latency=1s,rpm=0}: behind them only a pair whose value is a model,
 * too, begins another one.
 */
final class Pairs {

  static final String RULE = "of the form key=value, for example accuracy=0.6";

  /** Metrics may have a slash. */
  private static final String KEY = "\\s*[A-Za-z_][\\w./-]*\\s*=";

  /** The beginning of a model. An address is none. */
  private static final String MODEL = "\\s*(?:[\\w.-]+(?:@[\\w-]+)?/|exec:|http:(?!//))";

  private static final Pattern BEFORE_A_KEY = Pattern.compile(",(?=" + KEY + ")");

  private static final Pattern BEFORE_A_MODEL = Pattern.compile(",(?=" + KEY + MODEL + ")");

  private static final Pattern MODEL_WITH_ARGUMENTS =
      Pattern.compile(KEY + MODEL + "[^,:]*:[A-Za-z][\\w.-]*=.*", Pattern.DOTALL);

  private static final JsonMapper JSON = new JsonMapper();

  private Pairs() {}

  /** Of a key that is given twice, the last value holds. */
  static Optional<Map<String, String>> parse(String word) {
    if (word.stripLeading().startsWith("{")) {
      return ofJson(word);
    }
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : split(word)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        return Optional.empty();
      }
      pairs.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return Optional.of(pairs);
  }

  private static List<String> split(String word) {
    List<String> pairs = new ArrayList<>();
    for (String part : BEFORE_A_MODEL.split(word, -1)) {
      splitPart(part, pairs);
    }
    return pairs;
  }

  private static void splitPart(String part, List<String> pairs) {
    int from = 0;
    Matcher comma = BEFORE_A_KEY.matcher(part);
    while (!MODEL_WITH_ARGUMENTS.matcher(part).region(from, part.length()).matches()
        && comma.find()) {
      pairs.add(part.substring(from, comma.start()));
      from = comma.end();
    }
    pairs.add(part.substring(from));
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

  /** Two words of one source as one, as people would write it if that says the same. */
  static String add(String earlier, String later) {
    String joined = earlier + "," + later;
    String merged = merge(later, earlier);
    return parse(joined).equals(parse(merged)) ? joined : merged;
  }

  static String word(Map<String, String> pairs) {
    return JSON.writeValueAsString(pairs);
  }
}

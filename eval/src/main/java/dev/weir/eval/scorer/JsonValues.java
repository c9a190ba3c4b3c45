package dev.weir.eval.scorer;

import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds JSON in what models say, and compares it. */
final class JsonValues {

  static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final String FENCE = "```";

  private JsonValues() {}

  /** The text as a whole. */
  static Optional<JsonNode> parse(String text) {
    if (text.isBlank()) {
      return Optional.empty();
    }
    try {
      return Optional.of(MAPPER.readTree(text));
    } catch (JacksonException malformed) {
      return Optional.empty();
    }
  }

  /** The text as a whole, or the first block between fences that is JSON. */
  static Optional<JsonNode> find(String text) {
    Optional<JsonNode> whole = parse(text);
    int open = whole.isPresent() ? -1 : text.indexOf(FENCE);
    while (open >= 0) {
      int begin = afterLanguage(text, open + FENCE.length());
      int end = text.indexOf(FENCE, begin);
      if (end < 0) {
        break;
      }
      Optional<JsonNode> block = parse(text.substring(begin, end));
      if (block.isPresent()) {
        return block;
      }
      open = text.indexOf(FENCE, end + FENCE.length());
    }
    return whole;
  }

  /**
   * A fence may be followed by a word that says which language it is, on a line of its own or not.
   */
  private static int afterLanguage(String text, int from) {
    int at = from;
    while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
      at++;
    }
    // But true, null and 12 are JSON themselves.
    boolean isLanguage =
        at < text.length()
            && (Character.isWhitespace(text.charAt(at)) || "{[\"".indexOf(text.charAt(at)) >= 0);
    return isLanguage ? at : from;
  }

  /** Whether a value is what a target says: text as it is, anything else as JSON. */
  static boolean matches(JsonNode value, String target) {
    if (value.isString()) {
      return value.asString().strip().equals(target.strip());
    }
    return parse(target).filter(wanted -> areEqual(value, wanted)).isPresent();
  }

  /** Numbers are equal whatever they are written like, objects whatever their order. */
  static boolean areEqual(JsonNode left, JsonNode right) {
    if (left.isNumber() && right.isNumber()) {
      return left.decimalValue().compareTo(right.decimalValue()) == 0;
    }
    if (left.isArray() && right.isArray()) {
      return left.size() == right.size() && haveEqualItems(left, right);
    }
    if (left.isObject() && right.isObject()) {
      return left.size() == right.size() && haveEqualFields(left, right);
    }
    return left.equals(right);
  }

  private static boolean haveEqualItems(JsonNode left, JsonNode right) {
    Iterator<JsonNode> others = right.iterator();
    for (JsonNode item : left) {
      if (!areEqual(item, others.next())) {
        return false;
      }
    }
    return true;
  }

  private static boolean haveEqualFields(JsonNode left, JsonNode right) {
    for (Map.Entry<String, JsonNode> field : left.properties()) {
      JsonNode other = right.get(field.getKey());
      if (other == null || !areEqual(field.getValue(), other)) {
        return false;
      }
    }
    return true;
  }
}

package dev.weir.eval.promptfoo;

import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON as plain maps, lists and scalars. */
final class Json {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  /** As {@link #MAPPER}, for values with something behind them. */
  private static final JsonMapper PREFIX =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** Beyond, whoever looks for JSON in a text gives up. */
  private static final int MOST_STARTS = 1_000;

  private Json() {}

  /**
   * What a text is in JSON.
   *
   * @param data nothing for {@code null}
   */
  record Parsed(@Nullable Object data) {}

  /** The whole text, if it is JSON. */
  static Optional<Parsed> parse(String text) {
    try {
      return text.isBlank()
          ? Optional.empty()
          : Optional.of(new Parsed(MAPPER.readValue(text, Object.class)));
    } catch (JacksonException | StackOverflowError notJson) {
      return Optional.empty();
    }
  }

  /** The first object or list in a text that fits, if there is one. */
  static Optional<Parsed> find(String text, java.util.function.Predicate<Parsed> fits) {
    int starts = 0;
    for (int at = 0; at < text.length() && starts < MOST_STARTS; at++) {
      char c = text.charAt(at);
      if (c == '{' || c == '[') {
        starts++;
        Optional<Parsed> found = parsePrefix(text.substring(at)).filter(fits);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Parsed> parsePrefix(String text) {
    try (JsonParser parser = PREFIX.createParser(text)) {
      JsonToken first = parser.nextToken();
      return first == JsonToken.START_OBJECT || first == JsonToken.START_ARRAY
          ? Optional.of(new Parsed(PREFIX.readValue(parser, Object.class)))
          : Optional.empty();
    } catch (JacksonException | StackOverflowError notJson) {
      return Optional.empty();
    }
  }

  static String write(@Nullable Object plain) {
    return MAPPER.writeValueAsString(plain);
  }

  /** Text as it is; anything else as JSON. */
  static String text(@Nullable Object plain) {
    return plain instanceof String text ? text : write(plain);
  }

  /** As a template shows it; whole numbers have no fraction. */
  static String scalarText(Object scalar) {
    return switch (scalar) {
      case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 ->
          String.valueOf(number.longValue());
      case BigDecimal number -> number.stripTrailingZeros().toPlainString();
      default -> scalar.toString();
    };
  }

  /** Whether two values are the same in JSON, where 1 and 1.0 are one number. */
  static boolean same(@Nullable Object left, @Nullable Object right) {
    if (left instanceof Number a && right instanceof Number b) {
      return decimal(a).compareTo(decimal(b)) == 0;
    }
    if (left instanceof java.util.List<?> a && right instanceof java.util.List<?> b) {
      if (a.size() != b.size()) {
        return false;
      }
      for (int i = 0; i < a.size(); i++) {
        if (!same(a.get(i), b.get(i))) {
          return false;
        }
      }
      return true;
    }
    if (left instanceof java.util.Map<?, ?> a && right instanceof java.util.Map<?, ?> b) {
      return a.keySet().equals(b.keySet())
          && a.entrySet().stream()
              .allMatch(member -> same(member.getValue(), b.get(member.getKey())));
    }
    return java.util.Objects.equals(left, right);
  }

  static BigDecimal decimal(Number number) {
    return new BigDecimal(number.toString());
  }
}

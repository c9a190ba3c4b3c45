package dev.weir.eval.dataset;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.json.JsonMapper;

/** JSON as texts, whole numbers, other numbers, booleans, lists and maps, all without its types. */
final class JsonText {

  static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private JsonText() {}

  /** What a text in a cell of a table means, if it is a list or mapping in JSON; else itself. */
  static @Nullable Object parsed(@Nullable Object value) {
    if (!(value instanceof String text)
        || !(text.stripLeading().startsWith("[") || text.stripLeading().startsWith("{"))) {
      return value;
    }
    try (JsonParser parser = JSON.createParser(text)) {
      parser.nextToken();
      Object parsed = value(parser);
      return parser.nextToken() == null ? parsed : text;
    } catch (JacksonException onlyText) {
      return text;
    }
  }

  /** The value that begins at the parser's token; leaves the parser at its last one. */
  static @Nullable Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, null);
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser));
        }
        yield items;
      }
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getString());
      default -> parser.getString();
    };
  }

  /**
   * @param places takes where the values are, unless it is null
   */
  static Map<String, @Nullable Object> object(
      JsonParser parser, @Nullable Map<String, TokenStreamLocation> places) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      if (places != null) {
        places.put(name, parser.currentTokenLocation());
      }
      members.put(name, value(parser));
    }
    return members;
  }

  /** Keeps the digits as they are written. */
  private static Object number(String digits) {
    BigDecimal number = new BigDecimal(digits);
    return number.scale() == 0 && number.precision() <= 18 ? (Object) number.longValue() : number;
  }
}

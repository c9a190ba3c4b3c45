package dev.weir.model.price;

import dev.weir.model.ConfigurationException;
import dev.weir.model.JsonWords;
import dev.weir.model.Printable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.json.JsonMapper;

/**
 * A value of a file of JSON, which knows where it stands.
 *
 * @param place file, line and column, for people
 * @param keyPlace those of the key that has it; its own where there is none
 * @param data a map or list of such values, a text, a number, a flag, or null
 */
record Placed(String place, String keyPlace, @Nullable Object data) {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final int LONGEST_SHOWN = 60;

  /**
   * @param file what to call it in errors
   * @throws ConfigurationException if it is not JSON
   */
  static Placed read(String file, String text) {
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new ConfigurationException(file + ": the file is empty");
      }
      Placed all = value(file, parser, place(file, parser.currentTokenLocation()));
      if (parser.nextToken() != null) {
        throw new ConfigurationException(
            "%s: the file is not JSON: there is something after its end"
                .formatted(place(file, parser.currentTokenLocation())));
      }
      return all;
    } catch (JacksonException broken) {
      throw new ConfigurationException(
          "%s: the file is not JSON: %s"
              .formatted(
                  place(file, broken.getLocation()),
                  JsonWords.of(String.valueOf(broken.getOriginalMessage()))),
          broken);
    }
  }

  /** The value that begins at the parser's token; leaves the parser at its last one. */
  private static Placed value(String file, JsonParser parser, String keyPlace) {
    String place = place(file, parser.currentTokenLocation());
    Object data =
        switch (parser.currentToken()) {
          case START_OBJECT -> {
            Map<String, Placed> members = new LinkedHashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
              String name = parser.currentName();
              String at = place(file, parser.currentTokenLocation());
              parser.nextToken();
              members.put(name, value(file, parser, at));
            }
            yield members;
          }
          case START_ARRAY -> {
            List<Placed> items = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
              items.add(value(file, parser, place(file, parser.currentTokenLocation())));
            }
            yield items;
          }
          case VALUE_NULL -> null;
          case VALUE_TRUE -> true;
          case VALUE_FALSE -> false;
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(place, parser.getString());
          default -> parser.getString();
        };
    return new Placed(place, keyPlace, data);
  }

  private static BigDecimal number(String place, String digits) {
    try {
      return new BigDecimal(digits);
    } catch (NumberFormatException tooLarge) {
      throw new ConfigurationException(
          "%s: the number %s is too large".formatted(place, shown(digits)), tooLarge);
    }
  }

  private static String place(String file, @Nullable TokenStreamLocation location) {
    return location == null
        ? file
        : "%s, line %d, column %d".formatted(file, location.getLineNr(), location.getColumnNr());
  }

  /** The members of an object; empty if it is none. */
  Optional<Map<String, Placed>> members() {
    if (!(data instanceof Map<?, ?> map)) {
      return Optional.empty();
    }
    Map<String, Placed> members = new LinkedHashMap<>();
    map.forEach((name, value) -> members.put((String) name, (Placed) value));
    return Optional.of(members);
  }

  /** The items of a list; empty if it is none. */
  Optional<List<Placed>> items() {
    return data instanceof List<?> list
        ? Optional.of(list.stream().map(Placed.class::cast).toList())
        : Optional.empty();
  }

  ConfigurationException problem(String problem) {
    return new ConfigurationException("%s: %s".formatted(place, problem));
  }

  /** A problem of the key that has it. */
  ConfigurationException keyProblem(String problem) {
    return new ConfigurationException("%s: %s".formatted(keyPlace, problem));
  }

  /** As people know it from the file. */
  @Override
  public String toString() {
    return switch (data) {
      case null -> "null";
      case Map<?, ?> _ -> "an object";
      case List<?> _ -> "a list";
      case String text -> "'%s'".formatted(shown(text));
      default -> shown(data.toString());
    };
  }

  private static String shown(String text) {
    String line = Printable.line(text);
    return line.length() <= LONGEST_SHOWN ? line : line.substring(0, LONGEST_SHOWN) + "…";
  }
}

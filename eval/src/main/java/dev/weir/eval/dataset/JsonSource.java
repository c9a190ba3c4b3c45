package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.json.JsonMapper;

/** Rows of a JSON array or of JSON lines: both are a sequence of objects to the parser. */
final class JsonSource {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final Path file;

  JsonSource(Path file) {
    this.file = file;
  }

  void read(Reader reader, Rows rows) throws IOException {
    try (JsonParser parser = JSON.createParser(reader)) {
      try {
        read(parser, rows);
      } catch (JacksonException broken) {
        if (broken.getCause() instanceof IOException unreadable) {
          throw unreadable;
        }
        throw notJson(broken, parser.currentLocation());
      }
    }
  }

  private void read(JsonParser parser, Rows rows) {
    boolean inArray = false;
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      String place = "line " + parser.currentTokenLocation().getLineNr();
      switch (token) {
        case START_OBJECT -> rows.add(place, fields(place, parser));
        case START_ARRAY, END_ARRAY -> {
          if (inArray == (token == JsonToken.START_ARRAY)) {
            throw notARow(place);
          }
          inArray = !inArray;
        }
        default -> throw notARow(place);
      }
    }
  }

  private Map<String, String> fields(String place, JsonParser parser) {
    Map<String, String> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (value.isScalarValue()) {
        fields.put(name, value == JsonToken.VALUE_NULL ? "" : parser.getString());
      } else if (name.equals("input") || name.equals("target") || name.equals("id")) {
        throw new ConfigurationException(
            "%s, %s: `%s` must be text or a number".formatted(file, place, name));
      } else {
        parser.skipChildren();
      }
    }
    return fields;
  }

  private ConfigurationException notARow(String place) {
    return new ConfigurationException(
        "%s, %s: expected an object with `input` and `target`".formatted(file, place));
  }

  /**
   * @param reached where the parser was, for exceptions that do not know their place
   */
  private ConfigurationException notJson(JacksonException broken, TokenStreamLocation reached) {
    TokenStreamLocation known = broken.getLocation();
    TokenStreamLocation place = known == null ? reached : known;
    String what = String.valueOf(broken.getOriginalMessage());
    if (what.startsWith("Unexpected end-of-input")) {
      what = "it ends within a value; is it cut off, or a bracket or quote not closed?";
    }
    // Names of the parser's settings mean nothing to a user.
    what = what.replaceAll(", from `[^`]*`", "");
    return new ConfigurationException(
        "%s, line %s, column %s: the file is not usable JSON: %s"
            .formatted(file, place.getLineNr(), place.getColumnNr(), what),
        broken);
  }
}

package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.Reader;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;

/** Rows of a JSON array or of JSON lines: both are a sequence of objects to the parser. */
final class JsonSource {

  private final String source;

  /**
   * @param source the file, for people
   */
  JsonSource(String source) {
    this.source = source;
  }

  /**
   * @param rows takes a place and a row
   */
  void read(Reader reader, BiConsumer<String, Map<String, @Nullable Object>> rows)
      throws IOException {
    try (JsonParser parser = JsonText.JSON.createParser(reader)) {
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

  private void read(JsonParser parser, BiConsumer<String, Map<String, @Nullable Object>> rows) {
    boolean inArray = false;
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      String place = "line " + parser.currentTokenLocation().getLineNr();
      switch (token) {
        case START_OBJECT -> rows.accept(place, JsonText.object(parser));
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

  private ConfigurationException notARow(String place) {
    return new ConfigurationException(
        "%s, %s: expected an object with `input` and `target`".formatted(source, place));
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
            .formatted(source, place.getLineNr(), place.getColumnNr(), what),
        broken);
  }
}

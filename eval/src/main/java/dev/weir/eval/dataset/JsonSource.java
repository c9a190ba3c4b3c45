package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import java.io.BufferedReader;
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
      new Pass(parser, 0, rows).read();
    }
  }

  /**
   * Reads line by line, so that a line that is cut off is told, and not the one where the parser
   * finds out. A file that is one array after all is read as such.
   */
  void readLines(BufferedReader reader, BiConsumer<String, Map<String, @Nullable Object>> rows)
      throws IOException {
    if (beginsArray(reader)) {
      read(reader, rows);
      return;
    }
    int before = 0;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      try (JsonParser parser = JsonText.JSON.createParser(line)) {
        new Pass(parser, before, rows).read();
      }
      before++;
    }
  }

  private static boolean beginsArray(BufferedReader reader) throws IOException {
    reader.mark(1);
    boolean isArray = reader.read() == '[';
    reader.reset();
    return isArray;
  }

  /** Reads what a parser has. Not thread-safe. */
  private final class Pass {

    private final JsonParser parser;
    private final int linesBefore;
    private final BiConsumer<String, Map<String, @Nullable Object>> rows;
    private boolean inArray;
    private int items;

    Pass(
        JsonParser parser,
        int linesBefore,
        BiConsumer<String, Map<String, @Nullable Object>> rows) {
      this.parser = parser;
      this.linesBefore = linesBefore;
      this.rows = rows;
    }

    void read() throws IOException {
      try {
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
          take(token);
        }
      } catch (JacksonException broken) {
        if (broken.getCause() instanceof IOException unreadable) {
          throw unreadable;
        }
        throw notJson(broken);
      }
    }

    private void take(JsonToken token) {
      items += inArray && token != JsonToken.END_ARRAY ? 1 : 0;
      String place = "line " + line(parser.currentTokenLocation()) + item();
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

    private int line(TokenStreamLocation place) {
      return linesBefore + place.getLineNr();
    }

    private String item() {
      return inArray && items > 0 ? " (item %d)".formatted(items) : "";
    }

    private ConfigurationException notARow(String place) {
      return new ConfigurationException(
          "%s, %s: expected an object with `input` and `target`".formatted(source, place));
    }

    private ConfigurationException notJson(JacksonException broken) {
      TokenStreamLocation known = broken.getLocation();
      TokenStreamLocation place = known == null ? parser.currentLocation() : known;
      String what = String.valueOf(broken.getOriginalMessage());
      if (what.startsWith("Unexpected end-of-input")) {
        what = "it ends within a value; is it cut off, or a bracket or quote not closed?";
      }
      // Names of the parser's settings mean nothing to a user.
      what = what.replaceAll(", from `[^`]*`", "");
      return new ConfigurationException(
          "%s, line %s, column %s%s: the file is not usable JSON: %s"
              .formatted(source, line(place), place.getColumnNr(), item(), what),
          broken);
    }
  }
}

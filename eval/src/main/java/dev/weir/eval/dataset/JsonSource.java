package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import dev.weir.model.JsonWords;
import dev.weir.model.Printable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
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
  void read(Reader reader, BiConsumer<RowPlace, Map<String, @Nullable Object>> rows)
      throws IOException {
    try (JsonParser parser = JsonText.JSON.createParser(reader)) {
      new Pass(parser, 0, true, rows).read();
    }
  }

  /**
   * Reads line by line, so that a line that is cut off is told, and not the one where the parser
   * finds out. A file that is one array after all is read as such.
   */
  void readLines(BufferedReader reader, BiConsumer<RowPlace, Map<String, @Nullable Object>> rows)
      throws IOException {
    if (beginsArray(reader)) {
      read(reader, rows);
      return;
    }
    int before = 0;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      try (JsonParser parser = JsonText.JSON.createParser(line)) {
        new Pass(parser, before, false, rows).read();
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

  private static String at(int linesBefore, TokenStreamLocation location) {
    return "line %s, column %s"
        .formatted(linesBefore + location.getLineNr(), location.getColumnNr());
  }

  private record Place(String words, int linesBefore, Map<String, TokenStreamLocation> values)
      implements RowPlace {

    @Override
    public String of(String column) {
      TokenStreamLocation value = values.get(column);
      return value == null ? words : at(linesBefore, value);
    }
  }

  /** Reads what a parser has. Not thread-safe. */
  private final class Pass {

    private final JsonParser parser;
    private final int linesBefore;
    private final boolean mayBeArray;
    private final BiConsumer<RowPlace, Map<String, @Nullable Object>> rows;
    private boolean inArray;
    private int items;

    /**
     * @param mayBeArray whether the rows may be the items of one
     */
    Pass(
        JsonParser parser,
        int linesBefore,
        boolean mayBeArray,
        BiConsumer<RowPlace, Map<String, @Nullable Object>> rows) {
      this.parser = parser;
      this.linesBefore = linesBefore;
      this.mayBeArray = mayBeArray;
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
      String place = place(parser.currentTokenLocation());
      switch (token) {
        case START_OBJECT -> {
          Map<String, TokenStreamLocation> values = new HashMap<>();
          Map<String, @Nullable Object> row = JsonText.object(parser, values);
          rows.accept(new Place(place, linesBefore, values), row);
        }
        case START_ARRAY, END_ARRAY -> {
          if (!mayBeArray || inArray == (token == JsonToken.START_ARRAY)) {
            throw notARow(place);
          }
          inArray = !inArray;
        }
        default -> throw notARow(place);
      }
    }

    private String place(TokenStreamLocation location) {
      return at(linesBefore, location) + item();
    }

    private String item() {
      return inArray && items > 0 ? " (item %d)".formatted(items) : "";
    }

    private ConfigurationException notARow(String place) {
      return new ConfigurationException(
          "%s, %s: each row must be an object with `input` and `target`: {\"input\": …}"
              .formatted(source, place));
    }

    /** The last key that was read, or the one whose value it is in; empty if there is none. */
    private String key() {
      TokenStreamContext context = parser.streamReadContext();
      while (context != null && context.currentName() == null) {
        context = context.getParent();
      }
      return context == null ? "" : context.currentName();
    }

    private ConfigurationException notJson(JacksonException broken) {
      TokenStreamLocation known = broken.getLocation();
      TokenStreamLocation place = known == null ? parser.currentLocation() : known;
      String what = JsonWords.of(String.valueOf(broken.getOriginalMessage()));
      String key = key();
      return new ConfigurationException(
          "%s, %s%s: the file is not usable JSON: %s"
              .formatted(
                  source,
                  place(place),
                  key.isEmpty() ? "" : ", at `%s`".formatted(Printable.line(key)),
                  what),
          broken);
    }
  }
}

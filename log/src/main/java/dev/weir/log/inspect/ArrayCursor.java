package dev.weir.log.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** The objects in an array of a JSON document, one at a time, each as text of its own. */
final class ArrayCursor implements Cursor<byte[]> {

  private final String where;
  private final InputStream in;

  /** The field whose value is the array. */
  private final String field;

  private @Nullable JsonParser parser;
  private boolean hasEnded;

  ArrayCursor(String where, InputStream in, String field) {
    this.where = where;
    this.in = in;
    this.field = field;
  }

  @Override
  public byte @Nullable [] next() throws IOException {
    return InspectJson.reading(where, () -> Optional.ofNullable(read())).orElse(null);
  }

  private byte @Nullable [] read() throws IOException {
    if (hasEnded) {
      return null;
    }
    JsonParser open = parser;
    if (open == null) {
      open = InspectJson.MAPPER.createParser(in);
      parser = open;
      hasEnded = !begin(open);
      if (hasEnded) {
        return null;
      }
    }
    JsonToken token = open.nextToken();
    if (token == JsonToken.START_OBJECT) {
      return InspectJson.copy(open);
    }
    hasEnded = true;
    if (token != JsonToken.END_ARRAY) {
      throw new IOException(where + " should hold objects, and holds " + token);
    }
    return null;
  }

  /** Whether there is an array. */
  private boolean begin(JsonParser open) throws IOException {
    if (open.nextToken() != JsonToken.START_OBJECT) {
      throw new IOException(where + " is not a JSON object");
    }
    if (!find(open, field)) {
      return false;
    }
    return switch (open.currentToken()) {
      case START_ARRAY -> true;
      case VALUE_NULL -> false;
      case null, default -> throw new IOException(where + " is not a JSON array");
    };
  }

  private static boolean find(JsonParser open, String name) {
    while (open.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean isFound = open.currentName().equals(name);
      open.nextToken();
      if (isFound) {
        return true;
      }
      open.skipChildren();
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    if (parser != null) {
      parser.close();
    }
    in.close();
  }
}

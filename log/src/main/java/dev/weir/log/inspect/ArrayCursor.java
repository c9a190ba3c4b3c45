package dev.weir.log.inspect;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** The objects in a JSON array, one at a time, each as text of its own. */
final class ArrayCursor implements Cursor<byte[]> {

  private final String where;
  private final InputStream in;
  private final JsonParser parser;

  /** The field whose value is the array; null if all of the stream is. */
  private final @Nullable String field;

  private boolean hasBegun;
  private boolean hasEnded;

  ArrayCursor(String where, InputStream in, @Nullable String field) {
    this.where = where;
    this.in = in;
    this.field = field;
    this.parser = InspectJson.MAPPER.createParser(in);
  }

  @Override
  public byte @Nullable [] next() throws IOException {
    return InspectJson.reading(where, this::read);
  }

  private byte @Nullable [] read() throws IOException {
    if (!hasBegun) {
      hasBegun = true;
      hasEnded = !begin();
    }
    if (!hasEnded) {
      JsonToken token = parser.nextToken();
      if (token == JsonToken.START_OBJECT) {
        return InspectJson.copy(parser);
      }
      hasEnded = true;
      if (token != JsonToken.END_ARRAY) {
        throw new IOException(where + " should hold objects, and holds " + token);
      }
    }
    return null;
  }

  /** Whether there is an array. */
  private boolean begin() throws IOException {
    JsonToken first = parser.nextToken();
    if (field != null) {
      if (first != JsonToken.START_OBJECT) {
        throw new IOException(where + " is not a JSON object");
      }
      if (!find(field)) {
        return false;
      }
    }
    return switch (parser.currentToken()) {
      case START_ARRAY -> true;
      case VALUE_NULL -> false;
      case null, default -> throw new IOException(where + " is not a JSON array");
    };
  }

  private boolean find(String name) {
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean isFound = parser.currentName().equals(name);
      parser.nextToken();
      if (isFound) {
        return true;
      }
      parser.skipChildren();
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    parser.close();
    in.close();
  }
}

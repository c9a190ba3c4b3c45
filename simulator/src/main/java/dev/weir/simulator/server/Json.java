package dev.weir.simulator.server;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Makes JSON documents that look in the source as they look on the wire. */
final class Json {

  private static final JsonMapper MAPPER = new JsonMapper();

  private Json() {}

  /**
   * An object whose keys keep their order.
   *
   * @param keysAndValues in turns; a null value stays in the document
   */
  static Map<String, Object> object(@Nullable Object... keysAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      object.put(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]);
    }
    return object;
  }

  static String text(Object document) {
    return MAPPER.writeValueAsString(document);
  }

  /** The object that a text is; an empty one if it is none. */
  static JsonNode objectOf(String text) {
    try {
      JsonNode read = MAPPER.readTree(text);
      if (read.isObject()) {
        return read;
      }
    } catch (JacksonException malformed) {
      // Told as it is where the API carries a text; elsewhere there is no way to tell it.
    }
    return MAPPER.createObjectNode();
  }
}

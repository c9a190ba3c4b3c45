package dev.weir.providers.openai;

import java.util.LinkedHashMap;
import java.util.Map;

/** JSON objects whose members stay in order, so that equal requests are written equally. */
final class Fields {

  private Fields() {}

  static Map<String, Object> of(String name, Object value) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(name, value);
    return fields;
  }

  static Map<String, Object> of(String name, Object value, String name2, Object value2) {
    Map<String, Object> fields = of(name, value);
    fields.put(name2, value2);
    return fields;
  }

  static Map<String, Object> of(
      String name, Object value, String name2, Object value2, String name3, Object value3) {
    Map<String, Object> fields = of(name, value, name2, value2);
    fields.put(name3, value3);
    return fields;
  }
}

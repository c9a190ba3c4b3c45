package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** A small document that is as a JSON schema demands, as far as schemas of answers usually go. */
final class SchemaSample {

  /** For an answer that must be JSON, no matter what. */
  static final JsonNode ANY =
      Json.objectOf("{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\"}}}");

  /** A schema that contains itself has no end. */
  private static final int DEEPEST = 12;

  /** One that branches grows beyond all bounds long before it is deep. */
  private static final int MOST = 1_000;

  private final JsonNode root;
  private int made;

  private SchemaSample(JsonNode root) {
    this.root = root;
  }

  static String of(JsonNode schema) {
    return Json.text(new SchemaSample(schema).sample(schema, 0));
  }

  private Object sample(JsonNode given, int depth) {
    made++;
    JsonNode schema = resolved(given);
    if (schema.has("const")) {
      return schema.get("const");
    }
    if (schema.path("enum").isArray() && !schema.get("enum").isEmpty()) {
      return schema.get("enum").get(0);
    }
    for (String choice : List.of("anyOf", "oneOf", "allOf")) {
      if (mayGrow(depth) && schema.path(choice).isArray() && !schema.get(choice).isEmpty()) {
        return sample(schema.get(choice).get(0), depth + 1);
      }
    }
    return switch (type(schema)) {
      case "string" -> "x".repeat(Math.clamp(schema.path("minLength").asInt(1), 1, 1_000));
      case "integer", "number" -> least(schema);
      case "boolean" -> true;
      case "null" -> NullNode.getInstance();
      case "array" -> list(schema, depth);
      default -> object(schema, depth);
    };
  }

  /** Gemini writes types in capitals; a list of types allows any of them. */
  private static String type(JsonNode schema) {
    JsonNode type = schema.path("type");
    return (type.isArray() && !type.isEmpty() ? type.get(0) : type)
        .asString("object")
        .toLowerCase(Locale.ROOT);
  }

  private static Object least(JsonNode schema) {
    if (schema.path("minimum").isNumber()) {
      return schema.get("minimum");
    }
    return schema.path("exclusiveMinimum").asLong(0) + 1;
  }

  private List<Object> list(JsonNode schema, int depth) {
    List<Object> members = new ArrayList<>();
    int least = schema.path("minItems").asInt(0);
    for (int i = 0; i < least && mayGrow(depth); i++) {
      members.add(sample(schema.path("items"), depth + 1));
    }
    return members;
  }

  /** With the keys that are required; with all where nothing says which. */
  private Map<String, Object> object(JsonNode schema, int depth) {
    JsonNode properties = schema.path("properties");
    List<String> keys = new ArrayList<>();
    if (schema.path("required").isArray()) {
      schema.get("required").forEach(key -> keys.add(key.asString("")));
    } else {
      keys.addAll(properties.propertyNames());
    }
    Map<String, Object> object = Json.object();
    for (String key : keys) {
      if (mayGrow(depth)) {
        object.put(key, sample(properties.path(key), depth + 1));
      }
    }
    return object;
  }

  private boolean mayGrow(int depth) {
    return depth < DEEPEST && made < MOST;
  }

  private JsonNode resolved(JsonNode schema) {
    JsonNode at = schema;
    for (int i = 0; i < DEEPEST && at.path("$ref").asString("").startsWith("#/"); i++) {
      at = root.at(at.get("$ref").asString().substring(1));
    }
    return at;
  }
}

package dev.weir.log;

import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON schemas as Inspect's logs have them. Inspect knows some of the words, and does not read a
 * log in which one of them stands for something else: the rest is left out.
 */
final class InspectSchemas {

  private static final Set<String> TYPES =
      Set.of("string", "integer", "number", "boolean", "array", "object", "null");

  /** Schemas may contain themselves only by reference, but they may be deep. */
  private static final int DEEPEST = 50;

  private InspectSchemas() {}

  /** The schema of the arguments of a tool. */
  static String parameters(String schema) {
    ObjectNode clean = schema(schema);
    ObjectNode json = LogJson.LINES.createObjectNode();
    json.put("type", "object");
    json.set("properties", orElse(clean.path("properties"), LogJson.LINES.createObjectNode()));
    json.set("required", orElse(clean.path("required"), LogJson.LINES.createArrayNode()));
    json.set(
        "additionalProperties",
        orElse(
            clean.path("additionalProperties"), LogJson.LINES.getNodeFactory().booleanNode(false)));
    return json.toString();
  }

  private static JsonNode orElse(JsonNode found, JsonNode otherwise) {
    return found.isMissingNode() ? otherwise : found;
  }

  static ObjectNode schema(String schema) {
    return clean(parsed(schema), 0);
  }

  private static JsonNode parsed(String schema) {
    try {
      return LogJson.LINES.readTree(schema);
    } catch (JacksonException malformed) {
      return MissingNode.getInstance();
    }
  }

  private static ObjectNode clean(JsonNode schema, int depth) {
    ObjectNode clean = LogJson.LINES.createObjectNode();
    // Inspect always writes it.
    clean.putNull("default");
    if (depth < DEEPEST) {
      schema.properties().forEach(word -> add(clean, word.getKey(), word.getValue(), depth + 1));
    }
    return clean;
  }

  private static void add(ObjectNode clean, String word, JsonNode value, int depth) {
    switch (word) {
      case "type" -> {
        if (isType(value)) {
          clean.set(word, value);
        }
      }
      case "format", "description", "pattern" -> setIf(value.isString(), clean, word, value);
      case "default" -> clean.set(word, value);
      case "const" -> clean.putArray("enum").add(value);
      case "enum", "examples" -> setIf(value.isArray(), clean, word, value);
      case "minLength", "maxLength" -> setIf(value.isIntegralNumber(), clean, word, value);
      case "minimum", "maximum" -> setIf(value.isNumber(), clean, word, value);
      case "required" -> setIf(areTexts(value), clean, word, value);
      case "items" -> {
        if (value.isObject()) {
          clean.set(word, clean(value, depth));
        }
      }
      case "additionalProperties" ->
          setIf(
              value.isObject() || value.isBoolean(),
              clean,
              word,
              value.isObject() ? clean(value, depth) : value);
      case "properties" -> {
        ObjectNode properties = clean.putObject(word);
        value
            .properties()
            .forEach(one -> properties.set(one.getKey(), clean(one.getValue(), depth)));
      }
      case "anyOf", "oneOf" -> {
        ArrayNode choices = clean.putArray("anyOf");
        value.forEach(one -> choices.add(clean(one, depth)));
      }
      default -> {
        // Inspect has no place for it.
      }
    }
  }

  private static void setIf(boolean isUsable, ObjectNode clean, String word, JsonNode value) {
    if (isUsable) {
      clean.set(word, value);
    }
  }

  private static boolean isType(JsonNode value) {
    if (!value.isArray()) {
      return value.isString() && TYPES.contains(value.asString());
    }
    for (JsonNode one : value) {
      if (!one.isString() || !TYPES.contains(one.asString())) {
        return false;
      }
    }
    return true;
  }

  private static boolean areTexts(JsonNode value) {
    for (JsonNode one : value) {
      if (!one.isString()) {
        return false;
      }
    }
    return value.isArray();
  }
}

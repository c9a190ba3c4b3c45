package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the fields of a request, and says which is wrong. Those it is not asked for may be there.
 */
record Fields(JsonNode object, String place) {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  static JsonNode parse(byte[] body) {
    JsonNode read;
    try {
      read = JSON.readTree(body);
    } catch (JacksonException malformed) {
      throw new BadCallException("We could not parse the JSON body of your request.");
    }
    if (!read.isObject()) {
      throw new BadCallException("The body of the request must be a JSON object.");
    }
    return read;
  }

  static Fields of(JsonNode object) {
    return new Fields(object, "");
  }

  boolean has(String name) {
    return object.has(name) && !object.get(name).isNull();
  }

  String text(String name) {
    JsonNode value = object.get(name);
    if (value == null || !value.isString() || value.asString().isEmpty()) {
      throw wrong(name, "a text");
    }
    return value.asString();
  }

  /** A text that need not be there; empty if it is not. */
  String optionalText(String name) {
    if (!has(name)) {
      return "";
    }
    if (!object.get(name).isString()) {
      throw wrong(name, "a text");
    }
    return object.get(name).asString();
  }

  /** The texts of a list, or the one text there is, or none. */
  List<String> texts(String name) {
    if (!has(name)) {
      return List.of();
    }
    JsonNode value = object.get(name);
    if (value.isString()) {
      return List.of(value.asString());
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode member : value) {
      if (!member.isString()) {
        throw wrong(name, "a text or a list of texts");
      }
      texts.add(member.asString());
    }
    return texts;
  }

  boolean flag(String name) {
    if (!has(name)) {
      return false;
    }
    if (!object.get(name).isBoolean()) {
      throw wrong(name, "true or false");
    }
    return object.get(name).asBoolean();
  }

  OptionalInt count(String name) {
    if (!has(name)) {
      return OptionalInt.empty();
    }
    JsonNode value = object.get(name);
    if (!value.isInt() || value.asInt() < 1) {
      throw wrong(name, "a whole number of at least 1");
    }
    return OptionalInt.of(value.asInt());
  }

  /** A number that is of no further interest, if it is there. */
  void number(String name) {
    if (has(name) && !object.get(name).isNumber()) {
      throw wrong(name, "a number");
    }
  }

  Fields object(String name) {
    if (!has(name)) {
      return new Fields(JSON.createObjectNode(), place + name + ".");
    }
    if (!object.get(name).isObject()) {
      throw wrong(name, "an object");
    }
    return new Fields(object.get(name), place + name + ".");
  }

  /** The members of a list that must be there and not be empty. */
  List<Fields> list(String name) {
    if (!object.path(name).isArray() || object.get(name).isEmpty()) {
      throw wrong(name, "a list that is not empty");
    }
    return optionalList(name);
  }

  /** The members of a list; none if it is not there. */
  List<Fields> optionalList(String name) {
    if (!has(name)) {
      return List.of();
    }
    JsonNode value = object.get(name);
    if (!value.isArray()) {
      throw wrong(name, "a list");
    }
    List<Fields> members = new ArrayList<>();
    for (int i = 0; i < value.size(); i++) {
      String member = "%s%s[%d]".formatted(place, name, i);
      if (!value.get(i).isObject()) {
        throw new BadCallException("`%s` must be an object.".formatted(member));
      }
      members.add(new Fields(value.get(i), member + "."));
    }
    return members;
  }

  /**
   * The parts of a content: a list of objects, or one text, which is the same as one part of the
   * type {@code text}.
   */
  List<Fields> parts(String name) {
    if (!has(name)) {
      return List.of();
    }
    JsonNode value = object.get(name);
    if (value.isString()) {
      return List.of(
          new Fields(
              JSON.createObjectNode().put("type", "text").put("text", value.asString()),
              place + name + "."));
    }
    if (!value.isArray()) {
      throw wrong(name, "a text or a list of parts");
    }
    return optionalList(name);
  }

  /** The texts of a content: those of its parts that have one. */
  List<String> content(String name) {
    return parts(name).stream()
        .map(part -> part.object.path("text"))
        .filter(JsonNode::isString)
        .map(JsonNode::asString)
        .toList();
  }

  BadCallException wrong(String name, String rule) {
    return new BadCallException("`%s%s` must be %s.".formatted(place, name, rule));
  }
}

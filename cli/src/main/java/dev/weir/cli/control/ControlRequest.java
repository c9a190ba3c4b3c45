package dev.weir.cli.control;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What somebody asks of an evaluation; nothing in it is trusted. */
record ControlRequest(String command, JsonNode fields) {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String COMMAND = "command";
  private static final int LONGEST_TEXT = 2_000;

  /**
   * @param commands each with the fields that it knows
   * @throws ConfigurationException if it is no request
   */
  static ControlRequest read(String line, Map<String, List<String>> commands) {
    ObjectNode request = object(line);
    JsonNode version = request.path(ControlWire.VERSION_FIELD);
    if (!version.isInt() || version.asInt() != ControlWire.VERSION) {
      throw new ConfigurationException(
          "this run speaks version %d of the protocol, and not %s; use the weir that it was started with"
              .formatted(ControlWire.VERSION, version.isInt() ? version : "what was sent"));
    }
    String command = request.path(COMMAND).isString() ? request.path(COMMAND).asString() : "";
    List<String> known = commands.get(command);
    if (known == null) {
      throw new ConfigurationException(
          "there is no command '%s'%s"
              .formatted(command, Spelling.hint(command, List.copyOf(commands.keySet()))));
    }
    for (String field : request.propertyNames()) {
      if (!List.of(ControlWire.VERSION_FIELD, COMMAND).contains(field) && !known.contains(field)) {
        throw new ConfigurationException(
            "the command '%s' has no field '%s'%s"
                .formatted(command, field, Spelling.hint(field, known)));
      }
    }
    return new ControlRequest(command, request);
  }

  private static ObjectNode object(String line) {
    try {
      if (JSON.readTree(line) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException malformed) {
      // Told below.
    }
    throw new ConfigurationException(
        "a request is one line with a JSON object, of %d bytes at most"
            .formatted(ControlWire.LONGEST_REQUEST));
  }

  Optional<String> text(String field) {
    JsonNode value = fields.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isString() || value.asString().length() > LONGEST_TEXT) {
      throw new ConfigurationException(
          "`%s` must be a text of %d characters at most".formatted(field, LONGEST_TEXT));
    }
    return Optional.of(value.asString());
  }

  boolean flag(String field) {
    JsonNode value = fields.path(field);
    if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
      throw new ConfigurationException("`%s` must be true or false".formatted(field));
    }
    return value.isBoolean() && value.asBoolean();
  }

  Optional<Integer> count(String field) {
    JsonNode value = fields.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isInt() || value.asInt() < 1) {
      throw new ConfigurationException("`%s` must be a whole number from 1".formatted(field));
    }
    return Optional.of(value.asInt());
  }

  /** An object of texts. */
  Map<String, String> words(String field) {
    Map<String, String> words = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> word : fields.path(field).properties()) {
      if (!word.getValue().isString()) {
        throw new ConfigurationException(
            "`%s` of `%s` must be a text".formatted(word.getKey(), field));
      }
      words.put(word.getKey(), word.getValue().asString());
    }
    return words;
  }
}

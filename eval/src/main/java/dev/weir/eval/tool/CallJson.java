package dev.weir.eval.tool;

import dev.weir.model.ToolCall;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What models write for tools, and what tools say to models. */
final class CallJson {

  static final JsonMapper MAPPER = new JsonMapper();

  private CallJson() {}

  /**
   * The arguments of a call; none at all are an empty object.
   *
   * @throws ToolException what is wrong with them, for the model
   */
  static ObjectNode arguments(ToolCall call) {
    if (call.arguments().isBlank()) {
      return MAPPER.createObjectNode();
    }
    JsonNode read;
    try {
      read = MAPPER.readTree(call.arguments());
    } catch (JacksonException malformed) {
      throw new ToolException(
          "the arguments of %s are not JSON: %s; give an object, {…}"
              .formatted(call.name(), malformed.getOriginalMessage()),
          malformed);
    }
    if (!(read instanceof ObjectNode object)) {
      throw ArgumentType.wrong("the arguments of " + call.name(), "a JSON object, {…}", read);
    }
    return object;
  }

  /** What a text says, if it is JSON. */
  static Optional<JsonNode> tree(String json) {
    try {
      return Optional.ofNullable(MAPPER.readTree(json));
    } catch (JacksonException malformed) {
      return Optional.empty();
    }
  }

  /** What a Java method gave back, for a model: records, lists and maps as JSON. */
  static String text(@Nullable Object result) {
    return switch (result) {
      case null -> "";
      case Optional<?> optional -> text(optional.orElse(null));
      case Record data -> MAPPER.writeValueAsString(data);
      case Collection<?> data -> MAPPER.writeValueAsString(data);
      case Map<?, ?> data -> MAPPER.writeValueAsString(data);
      default -> result.toString();
    };
  }
}

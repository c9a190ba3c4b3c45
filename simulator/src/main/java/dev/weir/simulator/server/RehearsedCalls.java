package dev.weir.simulator.server;

import dev.weir.model.Request;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which tool a rehearsed model calls, and with what. */
final class RehearsedCalls {

  /** How the ids of its calls begin. */
  static final String ID = "rehearsed-";

  private static final String SUBMIT = "submit";
  private static final JsonMapper JSON = new JsonMapper();

  private RehearsedCalls() {}

  /**
   * @param isWorking whether it is too early for an answer
   * @param answer what it has to say in the end
   */
  static Optional<ToolCall> next(Request request, boolean isWorking, String answer) {
    List<Tool> tools = request.tools();
    Optional<Tool> submit = tools.stream().filter(tool -> tool.name().equals(SUBMIT)).findFirst();
    Optional<Tool> other = tools.stream().filter(tool -> !tool.name().equals(SUBMIT)).findFirst();
    Optional<Tool> chosen =
        switch (request.toolChoice()) {
          case ToolChoice.Named(String name) ->
              tools.stream().filter(tool -> tool.name().equals(name)).findFirst();
          case ToolChoice.Required() -> isWorking ? other.or(() -> submit) : submit.or(() -> other);
          case ToolChoice.Auto() -> isWorking && other.isPresent() ? other : submit;
          case ToolChoice.None() -> Optional.empty();
        };
    return chosen.map(tool -> call(request, tool, answer));
  }

  private static ToolCall call(Request request, Tool tool, String answer) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    JsonNode schema = JSON.readTree(tool.parameters());
    for (JsonNode required : schema.path("required").values()) {
      String name = required.asString();
      JsonNode kind = schema.path("properties").path(name).path("type");
      arguments.put(
          name,
          switch (kind.asString("string")) {
            case "integer", "number" -> 1;
            case "boolean" -> true;
            case "array" -> List.of();
            case "object" -> Map.of();
            default -> answer;
          });
    }
    return new ToolCall(
        ID + request.messages().size(), tool.name(), JSON.writeValueAsString(arguments));
  }
}

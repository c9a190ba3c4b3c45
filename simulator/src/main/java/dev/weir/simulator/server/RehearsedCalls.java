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

  private static final String SUBMIT = "submit";
  private static final JsonMapper JSON = new JsonMapper();

  private RehearsedCalls() {}

  /**
   * @param isWorking whether it is too early for an answer
   * @param answer what it has to say in the end
   */
  static Optional<ToolCall> next(Request request, boolean isWorking, String answer) {
    List<Tool> tools = request.tools();
    if (tools.isEmpty() || request.toolChoice() instanceof ToolChoice.None) {
      return Optional.empty();
    }
    Optional<Tool> submit = tools.stream().filter(tool -> tool.name().equals(SUBMIT)).findFirst();
    Optional<Tool> other = tools.stream().filter(tool -> !tool.name().equals(SUBMIT)).findFirst();
    Optional<Tool> chosen = isWorking && other.isPresent() ? other : submit;
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
        "rehearsed-" + request.messages().size(), tool.name(), JSON.writeValueAsString(arguments));
  }
}

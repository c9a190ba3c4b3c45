package dev.weir.eval.tool;

import dev.weir.eval.sample.EvalTool.Result;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What a tool of an MCP server gave back, as text: what is no text is described. */
final class McpContent {

  private McpContent() {}

  /**
   * @param result of {@code tools/call}
   */
  static Result read(JsonNode result, int maxOutput) {
    List<String> parts = new ArrayList<>();
    for (JsonNode part : result.path("content")) {
      parts.add(described(part));
    }
    JsonNode structured = result.path("structuredContent");
    // Servers repeat it as text for clients that know only text.
    if (parts.isEmpty() && !structured.isMissingNode()) {
      parts.add(structured.toString());
    }
    return new Result(
        ToolOutput.limited(String.join("\n", parts), maxOutput),
        result.path("isError").asBoolean(false));
  }

  private static String described(JsonNode part) {
    String type = part.path("type").asString("");
    return switch (type) {
      case "text" -> part.path("text").asString("");
      case "image", "audio" ->
          "[%s, %s, %d bytes: not shown]"
              .formatted(
                  type,
                  part.path("mimeType").asString("unknown type"),
                  bytes(part.path("data").asString("")));
      case "resource" -> resource(part.path("resource"));
      case "resource_link" ->
          "[resource %s: %s]"
              .formatted(part.path("uri").asString(""), part.path("name").asString(""));
      default -> "[content of type '%s': not shown]".formatted(type);
    };
  }

  private static String resource(JsonNode resource) {
    String uri = resource.path("uri").asString("");
    return resource.has("text")
        ? "[resource %s]\n%s".formatted(uri, resource.path("text").asString(""))
        : "[resource %s, %s, %d bytes: not shown]"
            .formatted(
                uri,
                resource.path("mimeType").asString("unknown type"),
                bytes(resource.path("blob").asString("")));
  }

  private static long bytes(String base64) {
    return base64.replace("=", "").length() * 3L / 4;
  }
}

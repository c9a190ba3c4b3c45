package dev.weir.providers.bedrock;

import dev.weir.model.Content;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.ResponseSchema;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The body of a request. Fields that the user adds are the model's ({@code
 * additionalModelRequestFields}), unless Converse itself has one of that name.
 */
final class ConverseRequest {

  private static final String MODEL_FIELDS = "additionalModelRequestFields";

  private static final Set<String> OWN_FIELDS =
      Set.of(
          "additionalModelResponseFieldPaths",
          "guardrailConfig",
          "inferenceConfig",
          "messages",
          "outputConfig",
          "performanceConfig",
          "promptVariables",
          "requestMetadata",
          "serviceTier",
          "system",
          "toolConfig");

  private final String model;

  ConverseRequest(String model) {
    this.model = model;
  }

  byte[] body(Request request) {
    GenerationSettings settings = request.settings();
    Map<String, Object> body = new LinkedHashMap<>();
    List<Object> system = system(request.messages());
    if (!system.isEmpty()) {
      body.put("system", system);
    }
    body.put("messages", turns(request.messages()));
    if (isWithTools(request)) {
      body.put("toolConfig", toolConfig(request));
    }
    Map<String, Object> inference = inference(settings);
    if (!inference.isEmpty()) {
      body.put("inferenceConfig", inference);
    }
    settings.responseSchema().ifPresent(schema -> body.put("outputConfig", output(schema)));
    addFields(settings, body);
    return Json.write(body);
  }

  private void addFields(GenerationSettings settings, Map<String, Object> body) {
    Map<String, Object> fields = new LinkedHashMap<>(Thinking.fields(model, settings));
    settings
        .extraBody()
        .forEach(
            (name, json) -> {
              if (OWN_FIELDS.contains(name)) {
                body.put(name, Json.embed(json));
              } else if (name.equals(MODEL_FIELDS)) {
                Json given = Json.parseOrAbsent(json);
                given.names().forEach(field -> fields.put(field, given.at(field).embedded()));
              } else {
                fields.put(name, Json.embed(json));
              }
            });
    if (!fields.isEmpty()) {
      body.put(MODEL_FIELDS, fields);
    }
  }

  private static Map<String, Object> inference(GenerationSettings settings) {
    Map<String, Object> config = new LinkedHashMap<>();
    settings.maxTokens().ifPresent(value -> config.put("maxTokens", value));
    settings.temperature().ifPresent(value -> config.put("temperature", value));
    settings.topP().ifPresent(value -> config.put("topP", value));
    if (!settings.stop().isEmpty()) {
      config.put("stopSequences", settings.stop());
    }
    return config;
  }

  /** The schema travels as a text. */
  private static Map<String, Object> output(ResponseSchema schema) {
    Map<String, Object> definition = new LinkedHashMap<>();
    definition.put("schema", schema.schema());
    definition.put("name", schema.name());
    Map<String, Object> format = new LinkedHashMap<>();
    format.put("type", "json_schema");
    format.put("structure", Map.of("jsonSchema", definition));
    return Map.of("textFormat", format);
  }

  private static List<Object> system(List<Message> messages) {
    List<Object> system = new ArrayList<>();
    for (Message message : messages) {
      if (message instanceof Message.Instructions && !message.text().isBlank()) {
        system.add(Map.of("text", message.text()));
      }
    }
    return system;
  }

  /** Turns must alternate, so what one side says in a row is one turn. */
  private static List<Object> turns(List<Message> messages) {
    List<Object> turns = new ArrayList<>();
    List<Object> blocks = new ArrayList<>();
    String speaker = "user";
    for (Message message : messages) {
      String role = message instanceof Message.Assistant ? "assistant" : "user";
      if (!role.equals(speaker)) {
        addTurn(speaker, blocks, turns);
        blocks = new ArrayList<>();
        speaker = role;
      }
      switch (message) {
        case Message.Instructions _ -> {}
        case Message.User user -> {
          for (Content part : user.content()) {
            blocks.add(part(part));
          }
        }
        case Message.Assistant assistant -> blocks.addAll(assistant(assistant));
        case Message.ToolResult result -> blocks.add(toolResult(result));
      }
    }
    addTurn(speaker, blocks, turns);
    return turns;
  }

  private static void addTurn(String role, List<Object> blocks, List<Object> turns) {
    if (!blocks.isEmpty()) {
      Map<String, Object> turn = new LinkedHashMap<>();
      turn.put("role", role);
      turn.put("content", blocks);
      turns.add(turn);
    }
  }

  private static List<Object> assistant(Message.Assistant message) {
    List<Object> blocks = new ArrayList<>();
    Json own = ConverseReply.own(message);
    if (own.isPresent()) {
      own.list().forEach(block -> blocks.add(block.embedded()));
      return blocks;
    }
    if (!message.text().isBlank()) {
      blocks.add(Map.of("text", message.text()));
    }
    message.toolCalls().forEach(call -> blocks.add(Map.of("toolUse", toolUse(call))));
    return blocks;
  }

  private static Map<String, Object> toolUse(ToolCall call) {
    Map<String, Object> use = new LinkedHashMap<>();
    use.put("toolUseId", call.id());
    use.put("name", call.name());
    Json input = Json.parseOrAbsent(call.arguments());
    if (input.isObject()) {
      use.put("input", input.embedded());
    } else {
      // Models take nothing but an object back, even where they wrote none.
      use.put(
          "input", call.arguments().isBlank() ? Map.of() : Map.of("malformed", call.arguments()));
    }
    return use;
  }

  private static Map<String, Object> toolResult(Message.ToolResult result) {
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("toolUseId", result.callId());
    block.put("content", List.of(Map.of("text", result.text())));
    if (result.failed()) {
      block.put("status", "error");
    }
    return Map.of("toolResult", block);
  }

  private static Map<String, Object> part(Content content) {
    return switch (content) {
      case Content.Text(String text) -> Map.of("text", text);
      case Content.Image image -> Map.of("image", image(image));
    };
  }

  private static Map<String, Object> image(Content.Image image) {
    Map<String, Object> block = new LinkedHashMap<>();
    if (image.isData()) {
      block.put("format", image.mediaType().replaceFirst("^image/", ""));
      block.put("source", Map.of("bytes", image.base64()));
    } else {
      // Converse fetches from S3 only; of any other address it says itself what is wrong with it.
      block.put("format", format(image.url()));
      block.put("source", Map.of("s3Location", Map.of("uri", image.url())));
    }
    return block;
  }

  private static String format(String url) {
    for (String format : List.of("gif", "webp", "jpeg")) {
      if (url.endsWith("." + format)) {
        return format;
      }
    }
    return url.endsWith(".jpg") ? "jpeg" : "png";
  }

  /** There is no way to say "none", but for leaving tools out; a history of calls forbids that. */
  private static boolean isWithTools(Request request) {
    boolean isHistory =
        request.messages().stream()
            .anyMatch(
                message ->
                    message instanceof Message.ToolResult
                        || (message instanceof Message.Assistant assistant
                            && !assistant.toolCalls().isEmpty()));
    return !request.tools().isEmpty()
        && (isHistory || !(request.toolChoice() instanceof ToolChoice.None));
  }

  private static Map<String, Object> toolConfig(Request request) {
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("tools", request.tools().stream().map(ConverseRequest::tool).toList());
    switch (request.toolChoice()) {
      case ToolChoice.Auto _ -> config.put("toolChoice", Map.of("auto", Map.of()));
      case ToolChoice.None _ -> {}
      case ToolChoice.Required _ -> config.put("toolChoice", Map.of("any", Map.of()));
      case ToolChoice.Named(String tool) ->
          config.put("toolChoice", Map.of("tool", Map.of("name", tool)));
    }
    return config;
  }

  private static Map<String, Object> tool(Tool tool) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("name", tool.name());
    if (!tool.description().isBlank()) {
      spec.put("description", tool.description());
    }
    spec.put("inputSchema", Map.of("json", Json.embed(tool.parameters())));
    return Map.of("toolSpec", spec);
  }
}

package dev.weir.providers.google;

import dev.weir.model.Content;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The body of a request, which is the same for an answer in pieces. */
final class GeminiRequest {

  private static final Map<String, String> MEDIA_TYPES =
      Map.of(
          "png", "image/png",
          "jpg", "image/jpeg",
          "jpeg", "image/jpeg",
          "webp", "image/webp",
          "gif", "image/gif",
          "heic", "image/heic",
          "heif", "image/heif");

  /** Google's word for calls that another model made, and which nobody signed. */
  private static final String UNSIGNED = "skip_thought_signature_validator";

  private final GeminiModel gemini;

  GeminiRequest(GeminiModel gemini) {
    this.gemini = gemini;
  }

  byte[] body(Request request) {
    Map<String, Object> body = new LinkedHashMap<>();
    String system = system(request.messages());
    if (!system.isEmpty()) {
      body.put("systemInstruction", Map.of("parts", List.of(Map.of("text", system))));
    }
    body.put("contents", contents(request.messages()));
    if (!request.tools().isEmpty()) {
      List<Object> declarations = new ArrayList<>();
      request.tools().forEach(tool -> declarations.add(declaration(tool)));
      body.put("tools", List.of(Map.of("functionDeclarations", declarations)));
      body.put("toolConfig", Map.of("functionCallingConfig", toolChoice(request.toolChoice())));
    }
    Map<String, Object> generation = generation(request.settings());
    if (!generation.isEmpty()) {
      body.put("generationConfig", generation);
    }
    request.settings().extraBody().forEach((name, json) -> body.put(name, Json.embed(json)));
    return Json.write(body);
  }

  private Map<String, Object> generation(GenerationSettings settings) {
    Map<String, Object> config = new LinkedHashMap<>();
    settings.temperature().ifPresent(value -> config.put("temperature", value));
    settings.topP().ifPresent(value -> config.put("topP", value));
    settings.maxTokens().ifPresent(value -> config.put("maxOutputTokens", value));
    settings.seed().ifPresent(value -> config.put("seed", value));
    if (!settings.stop().isEmpty()) {
      config.put("stopSequences", settings.stop());
    }
    settings
        .responseSchema()
        .ifPresent(
            schema -> {
              config.put("responseMimeType", "application/json");
              config.put("responseJsonSchema", Json.embed(schema.schema()));
            });
    settings
        .reasoningEffort()
        .ifPresent(effort -> config.put("thinkingConfig", gemini.thinking(effort)));
    return config;
  }

  private static String system(List<Message> messages) {
    return messages.stream()
        .filter(Message.Instructions.class::isInstance)
        .map(Message::text)
        .filter(text -> !text.isBlank())
        .collect(Collectors.joining("\n\n"));
  }

  private List<Object> contents(List<Message> messages) {
    List<Object> contents = new ArrayList<>();
    List<Object> results = new ArrayList<>();
    for (Message message : messages) {
      if (!(message instanceof Message.ToolResult)) {
        addTurn("user", List.copyOf(results), contents);
        results.clear();
      }
      switch (message) {
        case Message.Instructions _ -> {}
        case Message.User user ->
            addTurn("user", user.content().stream().map(GeminiRequest::part).toList(), contents);
        case Message.Assistant assistant -> addTurn("model", parts(assistant), contents);
        // The API wants as many results in one turn as there were calls.
        case Message.ToolResult result -> results.add(functionResponse(result));
      }
    }
    addTurn("user", List.copyOf(results), contents);
    return contents;
  }

  /** A turn without parts is refused; nobody misses it. */
  private static void addTurn(String role, Object parts, List<Object> contents) {
    if (parts instanceof List<?> list && list.isEmpty()) {
      return;
    }
    Map<String, Object> turn = new LinkedHashMap<>();
    turn.put("role", role);
    turn.put("parts", parts);
    contents.add(turn);
  }

  private Object parts(Message.Assistant message) {
    Json own = Parts.own(message);
    if (own.isPresent()) {
      return own.embedded();
    }
    List<Object> parts = new ArrayList<>();
    if (!message.text().isEmpty()) {
      parts.add(Map.of("text", message.text()));
    }
    boolean first = true;
    for (ToolCall call : message.toolCalls()) {
      Map<String, Object> part = new LinkedHashMap<>();
      part.put("functionCall", functionCall(call));
      if (first && gemini.hasLevels()) {
        part.put("thoughtSignature", UNSIGNED);
      }
      first = false;
      parts.add(part);
    }
    return parts;
  }

  private static Map<String, Object> functionCall(ToolCall call) {
    Map<String, Object> function = new LinkedHashMap<>();
    if (CallIds.isGiven(call.id())) {
      function.put("id", call.id());
    }
    function.put("name", call.name());
    Json arguments = Json.parseOrAbsent(call.arguments());
    if (arguments.isObject()) {
      function.put("args", arguments.embedded());
    } else {
      // The API takes nothing but an object back, even where the model wrote none.
      function.put(
          "args", call.arguments().isBlank() ? Map.of() : Map.of("malformed", call.arguments()));
    }
    return function;
  }

  private static Map<String, Object> functionResponse(Message.ToolResult result) {
    Map<String, Object> function = new LinkedHashMap<>();
    if (CallIds.isGiven(result.callId())) {
      function.put("id", result.callId());
    }
    function.put("name", result.tool());
    function.put("response", Map.of(result.failed() ? "error" : "output", result.text()));
    return Map.of("functionResponse", function);
  }

  private static Map<String, Object> part(Content content) {
    return switch (content) {
      case Content.Text(String text) -> Map.of("text", text);
      case Content.Image image -> image(image);
    };
  }

  private static Map<String, Object> image(Content.Image image) {
    Map<String, Object> data = new LinkedHashMap<>();
    if (image.isData()) {
      data.put("mimeType", image.mediaType());
      data.put("data", image.base64());
      return Map.of("inlineData", data);
    }
    mediaTypeOf(image.url()).ifPresent(type -> data.put("mimeType", type));
    data.put("fileUri", image.url());
    return Map.of("fileData", data);
  }

  /** By the ending of the path: the API does not look for itself everywhere. */
  private static Optional<String> mediaTypeOf(String url) {
    String path = url.replaceFirst("[?#].*$", "").toLowerCase(Locale.ROOT);
    return Optional.ofNullable(MEDIA_TYPES.get(path.substring(path.lastIndexOf('.') + 1)));
  }

  private static Map<String, Object> declaration(Tool tool) {
    Map<String, Object> declaration = new LinkedHashMap<>();
    declaration.put("name", tool.name());
    declaration.put("description", tool.description());
    declaration.put("parametersJsonSchema", Json.embed(tool.parameters()));
    return declaration;
  }

  private static Map<String, Object> toolChoice(ToolChoice choice) {
    Map<String, Object> config = new LinkedHashMap<>();
    switch (choice) {
      case ToolChoice.Auto _ -> config.put("mode", "AUTO");
      case ToolChoice.None _ -> config.put("mode", "NONE");
      case ToolChoice.Required _ -> config.put("mode", "ANY");
      case ToolChoice.Named(String tool) -> {
        config.put("mode", "ANY");
        config.put("allowedFunctionNames", List.of(tool));
      }
    }
    return config;
  }
}

package dev.weir.providers.custom;

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
import java.util.Map;

/**
 * A request in the words that most programs know, those of a chat completion: {@code messages},
 * {@code tools}, {@code tool_choice}, {@code temperature} and so on. What the request leaves open
 * is absent.
 */
final class ChatBody {

  /** All fields there may be. */
  static final List<String> FIELDS =
      List.of(
          "model",
          "prompt",
          "system",
          "messages",
          "tools",
          "tool_choice",
          "temperature",
          "top_p",
          "max_tokens",
          "seed",
          "stop",
          "reasoning_effort",
          "response_schema");

  private ChatBody() {}

  /**
   * @param model as the program or server knows it
   */
  static Map<String, Object> of(Request request, String model) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("model", model);
    fields.put("prompt", lastText(request));
    String system = system(request);
    if (!system.isEmpty()) {
      fields.put("system", system);
    }
    fields.put("messages", messages(request));
    if (!request.tools().isEmpty()) {
      fields.put("tools", request.tools().stream().map(ChatBody::tool).toList());
      fields.put("tool_choice", choice(request.toolChoice()));
    }
    addSettings(request.settings(), fields);
    return fields;
  }

  static List<Map<String, Object>> messages(Request request) {
    return request.messages().stream().map(ChatBody::message).toList();
  }

  /** What the model is told last, by a user or a tool. */
  private static String lastText(Request request) {
    for (Message message : request.messages().reversed()) {
      if (message instanceof Message.User || message instanceof Message.ToolResult) {
        return message.text();
      }
    }
    return request.messages().getLast().text();
  }

  private static String system(Request request) {
    List<String> texts = new ArrayList<>();
    for (Message message : request.messages()) {
      if (message instanceof Message.Instructions(String text)) {
        texts.add(text);
      }
    }
    return String.join("\n\n", texts);
  }

  private static void addSettings(GenerationSettings settings, Map<String, Object> fields) {
    settings.temperature().ifPresent(value -> fields.put("temperature", value));
    settings.topP().ifPresent(value -> fields.put("top_p", value));
    settings.maxTokens().ifPresent(value -> fields.put("max_tokens", value));
    settings.seed().ifPresent(value -> fields.put("seed", value));
    if (!settings.stop().isEmpty()) {
      fields.put("stop", settings.stop());
    }
    settings.reasoningEffort().ifPresent(value -> fields.put("reasoning_effort", value.word()));
    settings
        .responseSchema()
        .ifPresent(schema -> fields.put("response_schema", Json.embed(schema.schema())));
  }

  private static Map<String, Object> message(Message message) {
    Map<String, Object> fields = new LinkedHashMap<>();
    switch (message) {
      case Message.Instructions(String text) -> {
        fields.put("role", "system");
        fields.put("content", text);
      }
      case Message.User user -> {
        fields.put("role", "user");
        fields.put("content", content(user));
      }
      case Message.Assistant assistant -> {
        fields.put("role", "assistant");
        fields.put("content", assistant.text());
        if (!assistant.toolCalls().isEmpty()) {
          fields.put("tool_calls", assistant.toolCalls().stream().map(ChatBody::call).toList());
        }
      }
      case Message.ToolResult result -> {
        fields.put("role", "tool");
        fields.put("tool_call_id", result.callId());
        fields.put("name", result.tool());
        fields.put("content", result.text());
      }
    }
    return fields;
  }

  /** A text where there is nothing else: not every program knows parts. */
  private static Object content(Message.User user) {
    if (user.content().stream().allMatch(Content.Text.class::isInstance)) {
      return user.text();
    }
    List<Map<String, Object>> parts = new ArrayList<>();
    for (Content part : user.content()) {
      parts.add(
          switch (part) {
            case Content.Text(String text) -> typed("text", text);
            case Content.Image(String url) -> typed("image_url", Map.of("url", url));
          });
    }
    return parts;
  }

  private static Map<String, Object> call(ToolCall call) {
    Map<String, Object> function = new LinkedHashMap<>();
    function.put("name", call.name());
    function.put("arguments", call.arguments());
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", call.id());
    fields.putAll(typed("function", function));
    return fields;
  }

  private static Map<String, Object> tool(Tool tool) {
    Map<String, Object> function = new LinkedHashMap<>();
    function.put("name", tool.name());
    function.put("description", tool.description());
    function.put("parameters", Json.embed(tool.parameters()));
    return typed("function", function);
  }

  private static Object choice(ToolChoice choice) {
    return switch (choice) {
      case ToolChoice.Auto _ -> "auto";
      case ToolChoice.None _ -> "none";
      case ToolChoice.Required _ -> "required";
      case ToolChoice.Named(String tool) -> typed("function", Map.of("name", tool));
    };
  }

  /** In this order, since a body must come out the same each time. */
  private static Map<String, Object> typed(String type, Object value) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("type", type);
    fields.put(type, value);
    return fields;
  }
}

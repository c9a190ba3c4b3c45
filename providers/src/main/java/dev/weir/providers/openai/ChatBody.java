package dev.weir.providers.openai;

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

/** A request in the words of chat completions. */
final class ChatBody {

  private final WireSetup setup;
  private final Traits traits;

  ChatBody(WireSetup setup) {
    this.setup = setup;
    this.traits = setup.traits();
  }

  byte[] of(Request request, boolean stream) {
    Map<String, Object> body = setup.head();
    List<Map<String, Object>> messages = new ArrayList<>(request.messages().size());
    for (Message message : request.messages()) {
      messages.add(message(message));
    }
    body.put("messages", messages);
    if (!request.tools().isEmpty()) {
      body.put("tools", request.tools().stream().map(ChatBody::tool).toList());
      body.put("tool_choice", choice(request.toolChoice()));
    }
    putSettings(body, request.settings());
    if (stream) {
      body.put("stream", true);
      if (traits.asksForUsage()) {
        body.put("stream_options", Fields.of("include_usage", true));
      }
    }
    if (!request.settings().extraBody().isEmpty()) {
      request.settings().extraBody().forEach((name, json) -> body.put(name, Json.embed(json)));
    }
    return Json.write(body);
  }

  private void putSettings(Map<String, Object> body, GenerationSettings settings) {
    // Most settings are not there: they are asked one by one, without making anything.
    if (settings.temperature().isPresent()) {
      body.put("temperature", settings.temperature().getAsDouble());
    }
    if (settings.topP().isPresent()) {
      body.put("top_p", settings.topP().getAsDouble());
    }
    if (settings.maxTokens().isPresent()) {
      body.put(traits.maxTokens(), settings.maxTokens().getAsInt());
    }
    if (settings.seed().isPresent()) {
      body.put(traits.seed(), settings.seed().getAsLong());
    }
    if (!settings.stop().isEmpty()) {
      body.put("stop", settings.stop());
    }
    if (settings.responseSchema().isPresent()) {
      body.put("response_format", format(settings.responseSchema().get()));
    }
    if (settings.reasoningEffort().isPresent()) {
      String effort = settings.reasoningEffort().get().word();
      if (traits.reasoningObject()) {
        body.put("reasoning", Fields.of("effort", effort));
      } else {
        body.put("reasoning_effort", effort);
      }
    }
  }

  private Map<String, Object> message(Message message) {
    Map<String, Object> json = new LinkedHashMap<>();
    switch (message) {
      case Message.Instructions(String text) -> {
        json.put("role", "system");
        json.put("content", text);
      }
      case Message.User user -> {
        json.put("role", "user");
        json.put("content", content(user));
      }
      case Message.Assistant assistant -> putAssistant(json, assistant);
      case Message.ToolResult result -> {
        json.put("role", "tool");
        json.put("tool_call_id", result.callId());
        json.put("content", result.text());
      }
    }
    return json;
  }

  private void putAssistant(Map<String, Object> json, Message.Assistant assistant) {
    json.put("role", "assistant");
    json.put("content", assistant.text());
    if (assistant.toolCalls().isEmpty()) {
      return;
    }
    json.put("tool_calls", assistant.toolCalls().stream().map(ChatBody::call).toList());
    // Thoughts of earlier turns are not wanted back anywhere.
    if (traits.wantsThoughts()) {
      assistant.nativeForm().ifPresent(form -> json.putAll(Thoughts.fields(form)));
    }
  }

  private static Object content(Message.User user) {
    if (isText(user)) {
      return user.text();
    }
    List<Map<String, Object>> parts = new ArrayList<>();
    for (Content part : user.content()) {
      parts.add(
          switch (part) {
            case Content.Text(String text) -> Fields.of("type", "text", "text", text);
            case Content.Image(String url) ->
                Fields.of("type", "image_url", "image_url", Fields.of("url", url));
          });
    }
    return parts;
  }

  private static boolean isText(Message.User user) {
    for (Content part : user.content()) {
      if (!(part instanceof Content.Text)) {
        return false;
      }
    }
    return true;
  }

  private static Map<String, Object> call(ToolCall call) {
    return Fields.of(
        "id",
        call.id(),
        "type",
        "function",
        "function",
        Fields.of("name", call.name(), "arguments", call.arguments()));
  }

  private static Map<String, Object> tool(Tool tool) {
    return Fields.of(
        "type",
        "function",
        "function",
        Fields.of(
            "name",
            tool.name(),
            "description",
            tool.description(),
            "parameters",
            Json.embed(tool.parameters())));
  }

  private static Object choice(ToolChoice choice) {
    return switch (choice) {
      case ToolChoice.Auto() -> "auto";
      case ToolChoice.None() -> "none";
      case ToolChoice.Required() -> "required";
      case ToolChoice.Named(String name) ->
          Fields.of("type", "function", "function", Fields.of("name", name));
    };
  }

  private static Map<String, Object> format(ResponseSchema schema) {
    return Fields.of(
        "type",
        "json_schema",
        "json_schema",
        Fields.of(
            "name",
            schema.name(),
            "schema",
            Json.embed(schema.schema()),
            "strict",
            schema.strict()));
  }
}

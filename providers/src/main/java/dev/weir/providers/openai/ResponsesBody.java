package dev.weir.providers.openai;

import dev.weir.model.Content;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Request;
import dev.weir.model.ResponseSchema;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A request in the words of the Responses API.
 *
 * <p>Nothing is kept at OpenAI: thoughts come back encrypted, and are sent again beside the tool
 * calls they led to. The API has no seed, so none is sent.
 */
final class ResponsesBody {

  private final WireSetup setup;

  ResponsesBody(WireSetup setup) {
    this.setup = setup;
  }

  byte[] of(Request request, boolean stream) {
    Map<String, Object> body = setup.head();
    body.put("store", false);
    putMessages(body, request.messages());
    if (!request.tools().isEmpty()) {
      body.put("tools", request.tools().stream().map(ResponsesBody::tool).toList());
      body.put("tool_choice", choice(request.toolChoice()));
    }
    putSettings(body, request.settings());
    if (stream) {
      body.put("stream", true);
    }
    request.settings().extraBody().forEach((name, json) -> body.put(name, Json.embed(json)));
    return Json.write(body);
  }

  /** What is said before anybody speaks has a place of its own. */
  private static void putMessages(Map<String, Object> body, List<Message> messages) {
    List<Message.Instructions> first =
        messages.stream()
            .takeWhile(Message.Instructions.class::isInstance)
            .map(Message.Instructions.class::cast)
            .toList();
    // An input must not be empty.
    boolean apart = !first.isEmpty() && first.size() < messages.size();
    if (apart) {
      body.put(
          "instructions",
          first.stream().map(Message.Instructions::text).collect(Collectors.joining("\n\n")));
    }
    List<Object> input = new ArrayList<>();
    for (Message message : messages.subList(apart ? first.size() : 0, messages.size())) {
      addItems(input, message);
    }
    body.put("input", input);
  }

  private void putSettings(Map<String, Object> body, GenerationSettings settings) {
    settings.temperature().ifPresent(value -> body.put("temperature", value));
    settings.topP().ifPresent(value -> body.put("top_p", value));
    settings.maxTokens().ifPresent(value -> body.put("max_output_tokens", value));
    if (!settings.stop().isEmpty()) {
      // The API knows no such field, and says so: an answer that runs on would be worse.
      body.put("stop", settings.stop());
    }
    settings
        .responseSchema()
        .ifPresent(schema -> body.put("text", Fields.of("format", format(schema))));
    settings
        .reasoningEffort()
        .ifPresent(effort -> body.put("reasoning", Fields.of("effort", effort.word())));
    boolean asksToReason =
        settings.reasoningEffort().filter(effort -> effort != ReasoningEffort.NONE).isPresent();
    // Models that do not reason refuse to be asked for thoughts.
    if (asksToReason || ReasoningModels.isOne(setup.model())) {
      body.put("include", List.of("reasoning.encrypted_content"));
    }
  }

  private static void addItems(List<Object> input, Message message) {
    switch (message) {
      case Message.Instructions(String text) -> input.add(said("system", text));
      case Message.User user -> input.add(said("user", content(user)));
      case Message.Assistant assistant -> addAssistant(input, assistant);
      case Message.ToolResult result ->
          input.add(
              Fields.of(
                  "type",
                  "function_call_output",
                  "call_id",
                  result.callId(),
                  "output",
                  result.text()));
    }
  }

  private static void addAssistant(List<Object> input, Message.Assistant assistant) {
    List<Json> items =
        assistant
            .nativeForm()
            .filter(form -> form.wire().equals(ResponsesOutput.WIRE))
            .map(form -> Json.parseOrAbsent(form.json()).list("output"))
            .orElse(List.of());
    if (!items.isEmpty()) {
      items.forEach(item -> input.add(item.embedded()));
      return;
    }
    if (!assistant.text().isEmpty()) {
      input.add(said("assistant", assistant.text()));
    }
    for (ToolCall call : assistant.toolCalls()) {
      Map<String, Object> item =
          Fields.of("type", "function_call", "call_id", call.id(), "name", call.name());
      item.put("arguments", call.arguments());
      input.add(item);
    }
  }

  private static Map<String, Object> said(String role, Object content) {
    return Fields.of("role", role, "content", content);
  }

  private static Object content(Message.User user) {
    if (user.content().stream().allMatch(Content.Text.class::isInstance)) {
      return user.text();
    }
    List<Object> parts = new ArrayList<>();
    for (Content part : user.content()) {
      parts.add(
          switch (part) {
            case Content.Text(String text) -> Fields.of("type", "input_text", "text", text);
            case Content.Image(String url) -> Fields.of("type", "input_image", "image_url", url);
          });
    }
    return parts;
  }

  private static Map<String, Object> tool(Tool tool) {
    Map<String, Object> json =
        Fields.of("type", "function", "name", tool.name(), "description", tool.description());
    json.put("parameters", Json.embed(tool.parameters()));
    // Unlike chat completions the API is strict unless told otherwise, and then refuses schemas
    // that do not close every object.
    json.put("strict", false);
    return json;
  }

  private static Object choice(ToolChoice choice) {
    return switch (choice) {
      case ToolChoice.Auto() -> "auto";
      case ToolChoice.None() -> "none";
      case ToolChoice.Required() -> "required";
      case ToolChoice.Named(String name) -> Fields.of("type", "function", "name", name);
    };
  }

  private static Map<String, Object> format(ResponseSchema schema) {
    Map<String, Object> format =
        Fields.of(
            "type", "json_schema", "name", schema.name(), "schema", Json.embed(schema.schema()));
    format.put("strict", schema.strict());
    return format;
  }
}

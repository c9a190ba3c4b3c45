package dev.weir.otel;

import dev.weir.model.Content;
import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.ToolCall;
import io.opentelemetry.api.common.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is asked and answered, in the forms of both versions: one JSON array of messages with parts,
 * or a body for each message. What exceeds {@link #MOST_CHARACTERS} in all is cut off, and images
 * are left out: thousands of calls may wait for a receiver. For one use.
 */
final class MessageContent {

  static final int MOST_CHARACTERS = 1 << 16;

  private static final String TYPE = "type";
  private static final String ROLE = "role";
  private static final String CONTENT = "content";
  private static final String PARTS = "parts";
  private static final String FINISH_REASON = "finish_reason";
  private static final String ASSISTANT = "assistant";

  private int left = MOST_CHARACTERS;

  // The latest version.

  /** The value of {@code gen_ai.input.messages}. */
  String input(List<Message> messages) {
    List<Value<?>> all = new ArrayList<>();
    messages.forEach(message -> all.add(Value.of(message(message))));
    return Value.of(all).asString();
  }

  /** The value of {@code gen_ai.output.messages}. */
  String output(Response.Reply reply, String finishReason) {
    Map<String, Value<?>> answer = message(reply.message());
    answer.put(FINISH_REASON, Value.of(finishReason));
    return Value.of(Value.of(answer)).asString();
  }

  private Map<String, Value<?>> message(Message message) {
    Map<String, Value<?>> fields = new LinkedHashMap<>();
    fields.put(ROLE, Value.of(role(message)));
    fields.put(PARTS, Value.of(parts(message)));
    return fields;
  }

  private List<Value<?>> parts(Message message) {
    List<Value<?>> parts = new ArrayList<>();
    switch (message) {
      case Message.Instructions(String text) -> parts.add(part("text", CONTENT, text));
      case Message.User(List<Content> content) -> content.forEach(some -> parts.add(part(some)));
      case Message.Assistant assistant -> {
        if (!assistant.reasoning().isEmpty()) {
          parts.add(part("reasoning", CONTENT, assistant.reasoning()));
        }
        if (!assistant.text().isEmpty()) {
          parts.add(part("text", CONTENT, assistant.text()));
        }
        assistant.toolCalls().forEach(call -> parts.add(part(call)));
      }
      case Message.ToolResult result -> {
        Map<String, Value<?>> fields = new LinkedHashMap<>();
        fields.put(TYPE, Value.of("tool_call_response"));
        fields.put("id", Value.of(result.callId()));
        fields.put("response", text(result.text()));
        parts.add(Value.of(fields));
      }
    }
    return parts;
  }

  private Value<?> part(Content content) {
    return switch (content) {
      case Content.Text(String text) -> part("text", CONTENT, text);
      case Content.Image image ->
          Value.of(
              Map.of(
                  TYPE,
                  Value.of(image.isData() ? "blob" : "uri"),
                  "modality",
                  Value.of("image"),
                  image.isData() ? CONTENT : "uri",
                  image.isData() ? Value.of("") : text(image.url())));
    };
  }

  private Value<?> part(ToolCall call) {
    Map<String, Value<?>> fields = new LinkedHashMap<>();
    fields.put(TYPE, Value.of("tool_call"));
    fields.put("id", Value.of(call.id()));
    fields.put("name", Value.of(call.name()));
    fields.put("arguments", text(call.arguments()));
    return Value.of(fields);
  }

  private Value<?> part(String type, String field, String text) {
    Map<String, Value<?>> fields = new LinkedHashMap<>();
    fields.put(TYPE, Value.of(type));
    fields.put(field, text(text));
    return Value.of(fields);
  }

  // The baseline.

  /** The name of the event of a message. */
  static String event(Message message) {
    return switch (message) {
      case Message.Instructions _ -> GenAiNames.SYSTEM_EVENT;
      case Message.User _ -> GenAiNames.USER_EVENT;
      case Message.Assistant _ -> GenAiNames.ASSISTANT_EVENT;
      case Message.ToolResult _ -> GenAiNames.TOOL_EVENT;
    };
  }

  /** The body of that event. */
  Value<?> body(Message message) {
    Map<String, Value<?>> fields = fields(message);
    if (message instanceof Message.ToolResult result) {
      fields.put("id", Value.of(result.callId()));
    }
    return Value.of(fields);
  }

  /** The body of the event of an answer. */
  Value<?> choice(Response.Reply reply, String finishReason) {
    Map<String, Value<?>> fields = new LinkedHashMap<>();
    fields.put("index", Value.of(0));
    fields.put(FINISH_REASON, Value.of(finishReason));
    fields.put("message", Value.of(fields(reply.message())));
    return Value.of(fields);
  }

  private Map<String, Value<?>> fields(Message message) {
    Map<String, Value<?>> fields = new LinkedHashMap<>();
    fields.put(ROLE, Value.of(role(message)));
    fields.put(CONTENT, text(message.text()));
    if (message instanceof Message.Assistant assistant && !assistant.toolCalls().isEmpty()) {
      List<Value<?>> calls = new ArrayList<>();
      assistant.toolCalls().forEach(call -> calls.add(function(call)));
      fields.put("tool_calls", Value.of(calls));
    }
    return fields;
  }

  private Value<?> function(ToolCall call) {
    Map<String, Value<?>> function = new LinkedHashMap<>();
    function.put("name", Value.of(call.name()));
    function.put("arguments", text(call.arguments()));
    return Value.of(
        Map.of(
            "id", Value.of(call.id()), TYPE, Value.of("function"), "function", Value.of(function)));
  }

  private static String role(Message message) {
    return switch (message) {
      case Message.Instructions _ -> "system";
      case Message.User _ -> "user";
      case Message.Assistant _ -> ASSISTANT;
      case Message.ToolResult _ -> "tool";
    };
  }

  /** As much of a text as still fits; never half a character. */
  private Value<?> text(String text) {
    int end = Math.min(text.length(), left);
    if (end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    left -= end;
    return Value.of(text.substring(0, end));
  }
}

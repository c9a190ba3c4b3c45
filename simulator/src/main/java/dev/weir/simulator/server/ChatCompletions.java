package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * OpenAI's {@code /v1/chat/completions}.
 *
 * @param style OpenAI's own, or that of another who serves this API
 */
record ChatCompletions(HeaderStyle style) implements Dialect {

  @Override
  public String idHeader() {
    return "x-request-id";
  }

  @Override
  public Call read(JsonNode body) {
    Fields fields = Fields.of(body);
    var conversation = new Conversation();
    for (Fields message : fields.list("messages")) {
      read(message, conversation);
    }
    OptionalInt allowed = fields.count("max_completion_tokens");
    OptionalInt allowedBefore = fields.count("max_tokens");
    fields.number("temperature");
    fields.number("top_p");
    fields.number("seed");
    if (fields.count("n").orElse(1) != 1) {
      throw new BadCallException("`n` must be 1: the simulator gives one choice.");
    }
    return new Call(
        fields.text("model"),
        conversation,
        allowed.isPresent() ? allowed : allowedBefore,
        fields.flag("stream"),
        fields.object("stream_options").flag("include_usage"),
        offer(fields, conversation),
        OpenAi.schema(fields.object("response_format"), "json_schema"),
        fields.texts("stop"),
        fields.optionalText("reasoning_effort").isEmpty()
            ? Call.Reasoning.ON_DEMAND
            : Call.Reasoning.WANTED);
  }

  private static void read(Fields message, Conversation conversation) {
    switch (message.text("role")) {
      case "assistant" -> {
        conversation.addReply(message.content("content"));
        for (Fields call : message.optionalList("tool_calls")) {
          Fields function = call.object("function");
          conversation.addCall(
              call.text("id"), function.text("name"), function.optionalText("arguments"));
        }
      }
      case "tool" ->
          conversation.addResult(
              message.text("tool_call_id"), String.join("\n", message.content("content")));
      case "system", "developer", "user" -> {
        for (Fields part : message.parts("content")) {
          switch (part.text("type")) {
            case "text" -> conversation.add(part.optionalText("text"));
            case "image_url" -> {
              part.object("image_url").text("url");
              conversation.addImage();
            }
            default -> conversation.addUnsaid(part.object().toString());
          }
        }
      }
      default -> throw message.wrong("role", "system, developer, user, assistant or tool");
    }
  }

  private static Offer offer(Fields fields, Conversation conversation) {
    List<String> tools = new ArrayList<>();
    for (Fields tool : fields.optionalList("tools")) {
      tools.add(tool.object("function").text("name"));
      conversation.addUnsaid(tool.object().toString());
    }
    return OpenAi.offer(fields, tools, choice -> choice.object("function").text("name"));
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    Call.Output output = reply.output();
    Map<String, Object> message =
        Json.object(
            "role",
            "assistant",
            "content",
            content(output),
            "refusal",
            null,
            "annotations",
            List.of());
    if (!output.calls().isEmpty()) {
      List<Object> calls = new ArrayList<>();
      for (int i = 0; i < output.calls().size(); i++) {
        calls.add(call(reply, i, output.calls().get(i).arguments()));
      }
      message.put("tool_calls", calls);
    }
    Map<String, Object> document = head(reply, "chat.completion");
    document.put(
        "choices",
        List.of(
            Json.object(
                "index",
                0,
                "message",
                message,
                "logprobs",
                null,
                "finish_reason",
                finishReason(output))));
    document.put("usage", usage(reply));
    return document;
  }

  /** There is none beside a call, unless the model talks while it works. */
  private static @Nullable String content(Call.Output output) {
    return output.calls().isEmpty() || !output.text().isEmpty() ? output.text() : null;
  }

  private static Map<String, Object> call(Reply reply, int index, String arguments) {
    return Json.object(
        "id",
        reply.part("call_", index),
        "type",
        "function",
        "function",
        Json.object("name", reply.output().calls().get(index).name(), "arguments", arguments));
  }

  @Override
  public Events events(Reply reply) {
    Call.Output output = reply.output();
    List<Event> pieces = new ArrayList<>();
    String content = content(output) == null ? null : "";
    pieces.add(
        chunk(reply, Json.object("role", "assistant", "content", content, "refusal", null), null));
    for (String text : Slices.words(output.text())) {
      pieces.add(chunk(reply, Json.object("content", text), null));
    }
    for (int i = 0; i < output.calls().size(); i++) {
      Map<String, Object> begin = Json.object("index", i);
      begin.putAll(call(reply, i, ""));
      pieces.add(chunk(reply, Json.object("tool_calls", List.of(begin)), null));
      for (String json : Slices.json(output.calls().get(i).arguments())) {
        Map<String, Object> more =
            Json.object("index", i, "function", Json.object("arguments", json));
        pieces.add(chunk(reply, Json.object("tool_calls", List.of(more)), null));
      }
    }
    List<Event> closing = new ArrayList<>();
    closing.add(chunk(reply, Map.of(), finishReason(output)));
    if (reply.call().streamUsage()) {
      Map<String, Object> document = head(reply, "chat.completion.chunk");
      document.put("choices", List.of());
      document.put("usage", usage(reply));
      closing.add(event(document));
    }
    closing.add(new Event("", "[DONE]"));
    return new Events(pieces, closing);
  }

  @Override
  public List<Event> streamError(Reply reply, String type, int position) {
    return List.of(
        event(
            Json.object(
                "error",
                Json.object(
                    "message",
                    "The prompt asked for this error.",
                    "type",
                    type,
                    "param",
                    null,
                    "code",
                    type))));
  }

  @Override
  public Answer error(Fault fault, int status, String type, String message) {
    return OpenAi.error(fault, status, type, message);
  }

  private static Event chunk(
      Reply reply, Map<String, Object> delta, @Nullable String finishReason) {
    Map<String, Object> document = head(reply, "chat.completion.chunk");
    document.put(
        "choices",
        List.of(
            Json.object(
                "index", 0, "delta", delta, "logprobs", null, "finish_reason", finishReason)));
    if (reply.call().streamUsage()) {
      document.put("usage", null);
    }
    return event(document);
  }

  private static Event event(Map<String, Object> document) {
    return new Event("", Json.text(document));
  }

  private static Map<String, Object> head(Reply reply, String object) {
    return Json.object(
        "id",
        "chatcmpl-" + reply.id(),
        "object",
        object,
        "created",
        reply.created(),
        "model",
        reply.call().model());
  }

  private static Map<String, Object> usage(Reply reply) {
    int output = reply.output().tokens();
    return Json.object(
        "prompt_tokens",
        reply.promptTokens(),
        "completion_tokens",
        output,
        "total_tokens",
        reply.promptTokens() + output,
        "prompt_tokens_details",
        Json.object("cached_tokens", reply.output().cached().read(), "audio_tokens", 0),
        "completion_tokens_details",
        Json.object("reasoning_tokens", reply.output().reasoningTokens(), "audio_tokens", 0));
  }

  private static String finishReason(Call.Output output) {
    return switch (output.ending()) {
      case COMPLETE, STOP_SEQUENCE -> "stop";
      case LENGTH -> "length";
      case CALLS -> "tool_calls";
    };
  }
}

package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Anthropic's {@code /v1/messages}. */
final class Messages implements Dialect {

  private static final int LEAST_BUDGET = 1_024;

  @Override
  public HeaderStyle style() {
    return HeaderStyle.ANTHROPIC;
  }

  @Override
  public String idHeader() {
    return "request-id";
  }

  @Override
  public Call read(JsonNode body) {
    Fields fields = Fields.of(body);
    var conversation = new Conversation();
    conversation.add(fields.content("system"));
    for (Fields message : fields.list("messages")) {
      read(message, conversation);
    }
    OptionalInt maxTokens = fields.count("max_tokens");
    if (maxTokens.isEmpty()) {
      throw new BadCallException("`max_tokens` must be a whole number of at least 1.");
    }
    fields.number("temperature");
    fields.number("top_p");
    return new Call(
        fields.text("model"),
        conversation,
        maxTokens,
        fields.flag("stream"),
        true,
        offer(fields, conversation),
        schema(fields),
        fields.texts("stop_sequences"),
        reasoning(fields.object("thinking"), maxTokens.getAsInt()));
  }

  private static void read(Fields message, Conversation conversation) {
    switch (message.text("role")) {
      case "assistant" -> {
        conversation.addReply(message.content("content"));
        for (Fields block : message.parts("content")) {
          if (block.text("type").equals("tool_use")) {
            conversation.addCall(
                block.text("id"), block.text("name"), block.object("input").object().toString());
          }
        }
      }
      case "user" -> {
        for (Fields block : message.parts("content")) {
          switch (block.text("type")) {
            case "text" -> conversation.add(block.optionalText("text"));
            case "image" -> {
              block.object("source").text("type");
              conversation.addImage();
            }
            case "tool_result" ->
                conversation.addResult(
                    block.text("tool_use_id"), String.join("\n", block.content("content")));
            default -> conversation.addUnsaid(block.object().toString());
          }
        }
      }
      default -> throw message.wrong("role", "user or assistant");
    }
  }

  private static Offer offer(Fields fields, Conversation conversation) {
    List<String> tools = new ArrayList<>();
    for (Fields tool : fields.optionalList("tools")) {
      tools.add(tool.text("name"));
      conversation.addUnsaid(tool.object().toString());
    }
    Fields choice = fields.object("tool_choice");
    if (!choice.has("type")) {
      return Offer.free(tools);
    }
    return switch (choice.text("type")) {
      case "auto" -> Offer.free(tools);
      case "none" -> Offer.NONE;
      case "any" -> Offer.forced(tools);
      case "tool" -> Offer.forced(tools, choice.text("name"));
      default -> throw choice.wrong("type", "auto, any, tool or none");
    };
  }

  private static Optional<JsonNode> schema(Fields fields) {
    Fields format = fields.object("output_config").object("format");
    return format.has("schema") ? Optional.of(format.object("schema").object()) : Optional.empty();
  }

  private static Call.Reasoning reasoning(Fields thinking, int maxTokens) {
    if (!thinking.has("type")) {
      return Call.Reasoning.NEVER;
    }
    return switch (thinking.text("type")) {
      case "disabled" -> Call.Reasoning.NEVER;
      case "adaptive" -> Call.Reasoning.SHOWN;
      case "enabled" -> {
        int budget = thinking.count("budget_tokens").orElse(0);
        if (budget < LEAST_BUDGET || budget >= maxTokens) {
          throw thinking.wrong("budget_tokens", "at least 1024 and less than `max_tokens`");
        }
        yield Call.Reasoning.SHOWN;
      }
      default -> throw thinking.wrong("type", "enabled, adaptive or disabled");
    };
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    return message(
        reply,
        blocks(reply).stream().map(Block::whole).toList(),
        reply.output().ending(),
        reply.output().tokens());
  }

  /**
   * A part of an answer.
   *
   * @param start what it is before its deltas have come
   */
  private record Block(
      Map<String, Object> whole, Map<String, Object> start, List<Map<String, Object>> deltas) {}

  private static List<Block> blocks(Reply reply) {
    Call.Output output = reply.output();
    List<Block> blocks = new ArrayList<>();
    if (!output.reasoning().isEmpty()) {
      blocks.add(thinking(output.reasoning(), "c2ltdWxhdGVk" + reply.id()));
    }
    if (!output.text().isEmpty() || (blocks.isEmpty() && output.calls().isEmpty())) {
      blocks.add(text(output.text()));
    }
    for (int i = 0; i < output.calls().size(); i++) {
      blocks.add(call(reply.part("toolu_", i), output.calls().get(i)));
    }
    return blocks;
  }

  private static Block thinking(String text, String signature) {
    List<Map<String, Object>> deltas = new ArrayList<>();
    for (String words : Slices.words(text)) {
      deltas.add(Json.object("type", "thinking_delta", "thinking", words));
    }
    deltas.add(Json.object("type", "signature_delta", "signature", signature));
    return new Block(
        Json.object("type", "thinking", "thinking", text, "signature", signature),
        Json.object("type", "thinking", "thinking", "", "signature", ""),
        deltas);
  }

  private static Block text(String text) {
    return new Block(
        Json.object("type", "text", "text", text),
        Json.object("type", "text", "text", ""),
        Slices.words(text).stream()
            .map(words -> Json.object("type", "text_delta", "text", words))
            .toList());
  }

  private static Block call(String id, ToolUse use) {
    return new Block(
        Json.object("type", "tool_use", "id", id, "name", use.name(), "input", use.input()),
        Json.object("type", "tool_use", "id", id, "name", use.name(), "input", Map.of()),
        Slices.json(use.arguments()).stream()
            .map(json -> Json.object("type", "input_json_delta", "partial_json", json))
            .toList());
  }

  @Override
  public Events events(Reply reply) {
    List<Event> pieces = new ArrayList<>();
    pieces.add(
        event(Json.object("type", "message_start", "message", message(reply, List.of(), null, 1))));
    List<Block> blocks = blocks(reply);
    for (int i = 0; i < blocks.size(); i++) {
      Block block = blocks.get(i);
      pieces.add(
          event(
              Json.object(
                  "type", "content_block_start", "index", i, "content_block", block.start())));
      for (Map<String, Object> delta : block.deltas()) {
        pieces.add(event(Json.object("type", "content_block_delta", "index", i, "delta", delta)));
      }
      pieces.add(event(Json.object("type", "content_block_stop", "index", i)));
    }
    Event delta =
        event(
            Json.object(
                "type",
                "message_delta",
                "delta",
                Json.object(
                    "stop_reason",
                    stopReason(reply.output().ending()),
                    "stop_sequence",
                    stopSequence(reply)),
                "usage",
                usage(reply, reply.output().tokens())));
    return new Events(pieces, List.of(delta, event(Json.object("type", "message_stop"))));
  }

  @Override
  public List<Event> streamError(Reply reply, String type, int position) {
    return List.of(
        event(
            Json.object(
                "type",
                "error",
                "error",
                Json.object("type", type, "message", "The prompt asked for this error."))));
  }

  @Override
  public Answer error(Fault fault, int status, String type, String message) {
    return Answer.error(
        status,
        switch (fault) {
          case BAD_REQUEST -> status == 404 ? "not_found_error" : "invalid_request_error";
          case UNAUTHORIZED -> status == 403 ? "permission_error" : "authentication_error";
          case RATE_LIMITED -> "rate_limit_error";
          case ERROR, OUTAGE -> "api_error";
          case OVERLOAD -> "overloaded_error";
        },
        message);
  }

  private static Map<String, Object> message(
      Reply reply, List<?> content, Call.@Nullable Ending ending, int outputTokens) {
    return Json.object(
        "id",
        "msg_" + reply.id(),
        "type",
        "message",
        "role",
        "assistant",
        "model",
        reply.call().model(),
        "content",
        content,
        "stop_reason",
        ending == null ? null : stopReason(ending),
        "stop_sequence",
        ending == null ? null : stopSequence(reply),
        "usage",
        usage(reply, outputTokens));
  }

  private static Map<String, Object> usage(Reply reply, int outputTokens) {
    Call.Cached cached = reply.output().cached();
    return Json.object(
        "input_tokens",
        reply.call().promptTokens(),
        "cache_creation_input_tokens",
        cached.written(),
        "cache_read_input_tokens",
        cached.read(),
        "output_tokens",
        outputTokens);
  }

  private static String stopReason(Call.Ending ending) {
    return switch (ending) {
      case COMPLETE -> "end_turn";
      case LENGTH -> "max_tokens";
      case STOP_SEQUENCE -> "stop_sequence";
      case CALLS -> "tool_use";
    };
  }

  private static @Nullable String stopSequence(Reply reply) {
    String stop = reply.output().stopSequence();
    return stop.isEmpty() ? null : stop;
  }

  /** Events are named after their type. */
  private static Event event(Map<String, Object> document) {
    return new Event(String.valueOf(document.get("type")), Json.text(document));
  }
}

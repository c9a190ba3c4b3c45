package dev.weir.providers.bedrock;

import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads answers. */
final class ConverseReply {

  /** Marks a message in Bedrock's own form. */
  private static final String WIRE = "bedrock-converse";

  private ConverseReply() {}

  /** The content of a message in Bedrock's own form; absent if it is in that of another. */
  static Json own(Message.Assistant message) {
    return message
        .nativeForm()
        .filter(form -> form.wire().equals(WIRE))
        .map(form -> Json.parseOrAbsent(form.json()).at("content"))
        .orElse(Json.ABSENT);
  }

  static Response.Reply read(Json body, ErrorReply reply) throws UnreadableException {
    Json content = body.at("output", "message", "content");
    if (!content.isList()) {
      throw new UnreadableException("it is no answer: `output.message.content` is missing");
    }
    var text = new StringBuilder();
    var reasoning = new StringBuilder();
    List<ToolCall> calls = new ArrayList<>();
    boolean hasMore = false;
    for (Json block : content.list()) {
      Json use = block.at("toolUse");
      if (use.isObject()) {
        calls.add(
            new ToolCall(
                use.text("toolUseId").orElse(""),
                use.text("name").orElse(""),
                use.at("input").isPresent() ? use.at("input").toString() : "{}"));
      } else if (block.text("text").isPresent()) {
        text.append(block.text("text").get());
      } else {
        // Thoughts are signed, and must be sent back as they are.
        reasoning.append(block.text("reasoningContent", "reasoningText", "text").orElse(""));
        hasMore = true;
      }
    }
    Optional<Message.NativeForm> own =
        hasMore
            ? Optional.of(
                new Message.NativeForm(WIRE, Json.text(Map.of("content", content.embedded()))))
            : Optional.empty();
    return new Response.Reply(
        new Message.Assistant(text.toString(), reasoning.toString(), calls, own),
        stop(body.text("stopReason").orElse("")),
        usage(body.at("usage")),
        reply.origin());
  }

  /** What was read from a cache, or put there, is counted apart. */
  private static Usage usage(Json usage) {
    long read = usage.count("cacheReadInputTokens");
    long written = usage.count("cacheWriteInputTokens");
    return new Usage(
        usage.count("inputTokens") + read + written, usage.count("outputTokens"), read, written, 0);
  }

  private static StopReason stop(String word) {
    return switch (word) {
      case "end_turn", "stop_sequence" -> StopReason.STOP;
      case "max_tokens", "model_context_window_exceeded" -> StopReason.MAX_TOKENS;
      case "tool_use" -> StopReason.TOOL_CALLS;
      case "guardrail_intervened", "content_filtered" -> StopReason.CONTENT_FILTER;
      // Among them malformed_tool_use and malformed_model_output.
      default -> StopReason.UNKNOWN;
    };
  }
}

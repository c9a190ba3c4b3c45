package dev.weir.providers.anthropic;

import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The content of an answer, block by block, whether it came whole or in pieces. */
final class Blocks {

  /** Marks a message in Anthropic's own form. */
  static final String WIRE = "anthropic-messages";

  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();
  private final List<ToolCall> calls = new ArrayList<>();
  private final List<Object> whole = new ArrayList<>();
  private boolean hasMore;

  void text(String piece) {
    text.append(piece);
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("type", "text");
    block.put("text", piece);
    whole.add(block);
  }

  /**
   * @param arguments as the model wrote them
   */
  void toolUse(String id, String name, String arguments) {
    calls.add(new ToolCall(id, name, arguments));
    whole.add(toolUse(id, name, input(arguments)));
  }

  /** Signed: must be sent back as it is. */
  void thinking(String thought, Object block) {
    reasoning.append(thought);
    other(block);
  }

  /** Whatever else there may be. */
  void other(Object block) {
    whole.add(block);
    hasMore = true;
  }

  Response.Reply reply(Optional<String> stopReason, Usage usage, ErrorReply reply) {
    Optional<Message.NativeForm> own =
        hasMore
            ? Optional.of(new Message.NativeForm(WIRE, Json.text(Map.of("content", whole))))
            : Optional.empty();
    return new Response.Reply(
        new Message.Assistant(text.toString(), reasoning.toString(), calls, own),
        stop(stopReason.orElse("")),
        usage,
        reply.origin());
  }

  /** The content of a message in Anthropic's own form; absent if it is in that of another. */
  static Json ownContent(Message.Assistant message) {
    return message
        .nativeForm()
        .filter(form -> form.wire().equals(WIRE))
        .map(form -> Json.parseOrAbsent(form.json()).at("content"))
        .orElse(Json.ABSENT);
  }

  static Map<String, Object> toolUse(String id, String name, Object input) {
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("type", "tool_use");
    block.put("id", id);
    block.put("name", name);
    block.put("input", input);
    return block;
  }

  /** The API takes nothing but an object back, even where the model wrote none. */
  static Object input(String arguments) {
    Json json = Json.parseOrAbsent(arguments);
    if (json.isObject()) {
      return json.embedded();
    }
    return arguments.isBlank() ? Map.of() : Map.of("malformed", arguments);
  }

  /** What was read from a cache, or put there, is counted apart by the API. */
  static Usage usage(Json usage) {
    long read = usage.count("cache_read_input_tokens");
    long written = usage.count("cache_creation_input_tokens");
    return new Usage(
        usage.count("input_tokens") + read + written,
        usage.count("output_tokens"),
        read,
        written,
        0);
  }

  private static StopReason stop(String word) {
    return switch (word) {
      case "end_turn", "stop_sequence" -> StopReason.STOP;
      case "max_tokens", "model_context_window_exceeded" -> StopReason.MAX_TOKENS;
      case "tool_use" -> StopReason.TOOL_CALLS;
      case "refusal" -> StopReason.CONTENT_FILTER;
      // Among them pause_turn: a long turn that the API would go on with.
      default -> StopReason.UNKNOWN;
    };
  }
}

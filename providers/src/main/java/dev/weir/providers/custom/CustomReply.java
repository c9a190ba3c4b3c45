package dev.weir.providers.custom;

import dev.weir.model.Message;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads the parts of an answer that programs and servers write in one of the usual ways. */
final class CustomReply {

  private CustomReply() {}

  static Response.Reply of(
      String text, List<ToolCall> calls, Optional<String> stopReason, Usage usage, Origin origin) {
    StopReason found = calls.isEmpty() ? StopReason.STOP : StopReason.TOOL_CALLS;
    return new Response.Reply(
        new Message.Assistant(text, "", calls, Optional.empty()),
        stopReason.map(CustomReply::stopReason).orElse(found),
        usage,
        origin);
  }

  /**
   * Reads {@code {id, name, arguments}}, or that inside of {@code function}; arguments are an
   * object, or its text.
   */
  static List<ToolCall> toolCalls(Json list) throws UnreadableException {
    if (list.isPresent() && !list.isList()) {
      throw new UnreadableException("the tool calls are not a list");
    }
    List<ToolCall> calls = new ArrayList<>();
    for (Json member : list.list()) {
      Json function = member.at("function").isObject() ? member.at("function") : member;
      Optional<String> name = function.text("name");
      if (name.isEmpty()) {
        throw new UnreadableException("a tool call has no name");
      }
      Json arguments = function.at("arguments");
      calls.add(
          new ToolCall(
              member.scalar("id").orElse("call_" + calls.size()),
              name.get(),
              arguments.text().orElse(arguments.isPresent() ? arguments.toString() : "{}")));
    }
    return calls;
  }

  private static StopReason stopReason(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "stop", "end_turn", "stop_sequence", "eos", "complete" -> StopReason.STOP;
      case "length", "max_tokens" -> StopReason.MAX_TOKENS;
      case "tool_calls", "tool_use", "function_call" -> StopReason.TOOL_CALLS;
      case "content_filter", "refusal", "safety" -> StopReason.CONTENT_FILTER;
      default -> StopReason.UNKNOWN;
    };
  }
}

package dev.weir.providers.openai;

import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What an answer of the Responses API holds.
 *
 * @param body the answer
 * @param items what was put out, in order
 */
record ResponsesOutput(Json body, List<Json> items) {

  /** Of the native form of a message. */
  static final String WIRE = "openai-responses";

  ResponsesOutput {
    items = List.copyOf(items);
  }

  static ResponsesOutput of(Json body) {
    return new ResponsesOutput(body, body.list("output"));
  }

  Response.Reply reply(ErrorReply reply) {
    String text = joined(parts("message", "content"), "text");
    String refusal = joined(parts("message", "content"), "refusal");
    String thoughts =
        String.join(
            "\n\n",
            Stream.concat(
                    parts("reasoning", "summary").stream(), parts("reasoning", "content").stream())
                .flatMap(part -> part.text("text").stream())
                .toList());
    List<ToolCall> calls = calls();
    var message =
        new Message.Assistant(text.isEmpty() ? refusal : text, thoughts, calls, nativeForm());
    return new Response.Reply(
        message, stopReason(!refusal.isEmpty(), calls), usage(), reply.origin());
  }

  private StopReason stopReason(boolean refused, List<ToolCall> calls) {
    String why = body.text("incomplete_details", "reason").orElse("");
    if (refused || why.equals("content_filter")) {
      return StopReason.CONTENT_FILTER;
    }
    if (why.equals("max_output_tokens")) {
      return StopReason.MAX_TOKENS;
    }
    if (!calls.isEmpty()) {
      return StopReason.TOOL_CALLS;
    }
    return body.text("status").orElse("completed").equals("completed")
        ? StopReason.STOP
        : StopReason.UNKNOWN;
  }

  private List<ToolCall> calls() {
    List<ToolCall> calls = new ArrayList<>();
    for (Json item : ofType("function_call")) {
      calls.add(
          new ToolCall(
              item.text("call_id").or(() -> item.text("id")).orElse("call_" + calls.size()),
              item.text("name").orElse(""),
              item.text("arguments").orElse("")));
    }
    return calls;
  }

  private Usage usage() {
    Json usage = body.at("usage");
    return new Usage(
        usage.count("input_tokens"),
        usage.count("output_tokens"),
        usage.count("input_tokens_details", "cached_tokens"),
        usage.count("input_tokens_details", "cache_write_tokens"),
        usage.count("output_tokens_details", "reasoning_tokens"));
  }

  /**
   * The items as they came, if thoughts are among them. Thoughts that are not there in encrypted
   * form cannot be sent back: OpenAI would look for them among what it kept, and it keeps nothing.
   */
  private Optional<Message.NativeForm> nativeForm() {
    List<Json> thoughts = ofType("reasoning");
    boolean complete =
        !thoughts.isEmpty()
            && thoughts.stream().allMatch(item -> item.text("encrypted_content").isPresent());
    return complete
        ? Optional.of(
            new Message.NativeForm(
                WIRE, Json.text(Fields.of("output", items.stream().map(Json::embedded).toList()))))
        : Optional.empty();
  }

  private List<Json> ofType(String type) {
    return items.stream().filter(item -> item.text("type").orElse("").equals(type)).toList();
  }

  private List<Json> parts(String type, String list) {
    return ofType(type).stream().flatMap(item -> item.list(list).stream()).toList();
  }

  private static String joined(List<Json> parts, String field) {
    return String.join("", parts.stream().flatMap(part -> part.text(field).stream()).toList());
  }
}

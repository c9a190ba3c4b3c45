package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * OpenAI's {@code /v1/responses}, without what needs a memory: nothing is stored.
 *
 * @param style OpenAI's own, or that of another who serves this API
 */
record Responses(HeaderStyle style) implements Dialect {

  @Override
  public String idHeader() {
    return "x-request-id";
  }

  @Override
  public Call read(JsonNode body) {
    return ResponsesRequest.read(Fields.of(body));
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    List<Map<String, Object>> items =
        ResponseItem.of(reply).stream().map(ResponseItem::whole).toList();
    return isCut(reply)
        ? response(
            reply,
            "incomplete",
            items,
            Json.object("incomplete_details", Json.object("reason", "max_output_tokens")))
        : response(reply, "completed", items, Map.of());
  }

  @Override
  public Events events(Reply reply) {
    var events = new NumberedEvents();
    Map<String, Object> begun = response(reply, "in_progress", List.of(), Map.of());
    begun.put("usage", null);
    events.add("response.created", "response", begun);
    events.add("response.in_progress", "response", begun);
    List<ResponseItem> items = ResponseItem.of(reply);
    for (int i = 0; i < items.size(); i++) {
      events.add("response.output_item.added", "output_index", i, "item", items.get(i).start());
      items.get(i).tell(i, events);
      events.add("response.output_item.done", "output_index", i, "item", items.get(i).whole());
    }
    List<Event> pieces = events.take();
    events.add(
        isCut(reply) ? "response.incomplete" : "response.completed", "response", answer(reply));
    return new Events(pieces, events.take());
  }

  /** A response fails for reasons that it knows; of all others an event of their own tells. */
  @Override
  public List<Event> streamError(Reply reply, String type, int position) {
    String message = "The prompt asked for this error.";
    var events = new NumberedEvents(position);
    switch (type) {
      case "server_error", "rate_limit_exceeded", "invalid_prompt" -> {
        Map<String, Object> failed =
            response(
                reply,
                "failed",
                List.of(),
                Json.object("error", Json.object("code", type, "message", message)));
        failed.put("usage", null);
        events.add("response.failed", "response", failed);
      }
      default -> events.add("error", "code", type, "message", message, "param", null);
    }
    return events.take();
  }

  @Override
  public Answer error(Fault fault, int status, String type, String message) {
    return OpenAi.error(fault, status, type, message);
  }

  private static boolean isCut(Reply reply) {
    return reply.output().ending() == Call.Ending.LENGTH;
  }

  /**
   * @param more what differs from a response that has nothing to tell
   */
  private static Map<String, Object> response(
      Reply reply, String status, List<?> items, Map<String, Object> more) {
    Call call = reply.call();
    Map<String, Object> response =
        Json.object(
            "id",
            "resp_" + reply.id(),
            "object",
            "response",
            "created_at",
            reply.created(),
            "status",
            status,
            "error",
            null,
            "incomplete_details",
            null,
            "instructions",
            null,
            "max_output_tokens",
            call.maxTokens().isPresent() ? call.maxTokens().getAsInt() : null,
            "model",
            call.model(),
            "output",
            items,
            "parallel_tool_calls",
            true,
            "previous_response_id",
            null,
            "store",
            false,
            "temperature",
            1.0,
            "tool_choice",
            "auto",
            "tools",
            List.of(),
            "top_p",
            1.0,
            "truncation",
            "disabled",
            "usage",
            usage(reply),
            "metadata",
            Map.of());
    response.putAll(more);
    return response;
  }

  private static Map<String, Object> usage(Reply reply) {
    int output = reply.output().tokens();
    return Json.object(
        "input_tokens",
        reply.promptTokens(),
        "input_tokens_details",
        Json.object("cached_tokens", reply.output().cached().read()),
        "output_tokens",
        output,
        "output_tokens_details",
        Json.object("reasoning_tokens", reply.output().reasoningTokens()),
        "total_tokens",
        reply.promptTokens() + output);
  }
}

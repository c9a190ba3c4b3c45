package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import dev.weir.web.EventSink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Anthropic's {@code /v1/messages}. */
final class Messages implements Dialect {

  private static final JsonMapper JSON = new JsonMapper();

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
    List<String> texts = new ArrayList<>(fields.content("system"));
    for (Fields message : fields.list("messages")) {
      message.text("role");
      texts.addAll(message.content("content"));
    }
    OptionalInt maxTokens = fields.count("max_tokens");
    if (maxTokens.isEmpty()) {
      throw new BadCallException("`max_tokens` must be a whole number of at least 1.");
    }
    fields.number("temperature");
    fields.number("top_p");
    return new Call(
        fields.text("model"), String.join("\n", texts), maxTokens, fields.flag("stream"), true);
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    Map<String, Object> text = new LinkedHashMap<>();
    text.put("type", "text");
    text.put("text", reply.output().text());
    return message(reply, List.of(text), stopReason(reply), reply.output().tokens());
  }

  @Override
  public void begin(Reply reply, EventSink sink) throws IOException, InterruptedException {
    Map<String, Object> start = typed("message_start");
    start.put("message", message(reply, List.of(), null, 1));
    send(sink, start);
    Map<String, Object> text = typed("text");
    text.put("text", "");
    Map<String, Object> block = typed("content_block_start");
    block.put("index", 0);
    block.put("content_block", text);
    send(sink, block);
  }

  @Override
  public void part(Reply reply, String text, EventSink sink)
      throws IOException, InterruptedException {
    Map<String, Object> delta = typed("text_delta");
    delta.put("text", text);
    Map<String, Object> event = typed("content_block_delta");
    event.put("index", 0);
    event.put("delta", delta);
    send(sink, event);
  }

  @Override
  public void end(Reply reply, EventSink sink) throws IOException, InterruptedException {
    Map<String, Object> stop = typed("content_block_stop");
    stop.put("index", 0);
    send(sink, stop);
    Map<String, Object> delta = new LinkedHashMap<>();
    delta.put("stop_reason", stopReason(reply));
    delta.put("stop_sequence", null);
    Map<String, Object> event = typed("message_delta");
    event.put("delta", delta);
    event.put("usage", Map.of("output_tokens", reply.output().tokens()));
    send(sink, event);
    send(sink, typed("message_stop"));
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
      Reply reply, List<?> content, @Nullable String stopReason, int outputTokens) {
    Map<String, Object> usage = new LinkedHashMap<>();
    usage.put("input_tokens", reply.call().promptTokens());
    usage.put("cache_creation_input_tokens", 0);
    usage.put("cache_read_input_tokens", 0);
    usage.put("output_tokens", outputTokens);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", "msg_" + reply.id());
    document.put("type", "message");
    document.put("role", "assistant");
    document.put("model", reply.call().model());
    document.put("content", content);
    document.put("stop_reason", stopReason);
    document.put("stop_sequence", null);
    document.put("usage", usage);
    return document;
  }

  private static String stopReason(Reply reply) {
    return reply.output().cut() ? "max_tokens" : "end_turn";
  }

  private static Map<String, Object> typed(String type) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type);
    return document;
  }

  /** Events are named after their type. */
  private static void send(EventSink sink, Map<String, Object> document)
      throws IOException, InterruptedException {
    sink.send(String.valueOf(document.get("type")), JSON.writeValueAsString(document));
  }
}

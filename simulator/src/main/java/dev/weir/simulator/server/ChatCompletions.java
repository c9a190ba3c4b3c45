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

/** OpenAI's {@code /v1/chat/completions}. */
final class ChatCompletions implements Dialect {

  private static final JsonMapper JSON = new JsonMapper();

  @Override
  public HeaderStyle style() {
    return HeaderStyle.OPENAI;
  }

  @Override
  public String idHeader() {
    return "x-request-id";
  }

  @Override
  public Call read(JsonNode body) {
    Fields fields = Fields.of(body);
    List<String> texts = new ArrayList<>();
    for (Fields message : fields.list("messages")) {
      message.text("role");
      texts.addAll(message.content("content"));
    }
    OptionalInt allowed = fields.count("max_completion_tokens");
    OptionalInt allowedBefore = fields.count("max_tokens");
    fields.number("temperature");
    fields.number("top_p");
    if (fields.count("n").orElse(1) != 1) {
      throw new BadCallException("`n` must be 1: the simulator gives one choice.");
    }
    return new Call(
        fields.text("model"),
        String.join("\n", texts),
        allowed.isPresent() ? allowed : allowedBefore,
        fields.flag("stream"),
        fields.object("stream_options").flag("include_usage"));
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("role", "assistant");
    message.put("content", reply.output().text());
    message.put("refusal", null);
    Map<String, Object> choice = new LinkedHashMap<>();
    choice.put("index", 0);
    choice.put("message", message);
    choice.put("logprobs", null);
    choice.put("finish_reason", finishReason(reply));
    Map<String, Object> document = head(reply, "chat.completion");
    document.put("choices", List.of(choice));
    document.put("usage", usage(reply));
    return document;
  }

  @Override
  public void begin(Reply reply, EventSink sink) throws IOException, InterruptedException {
    Map<String, Object> delta = new LinkedHashMap<>();
    delta.put("role", "assistant");
    delta.put("content", "");
    send(sink, chunk(reply, delta, null));
  }

  @Override
  public void part(Reply reply, String text, EventSink sink)
      throws IOException, InterruptedException {
    send(sink, chunk(reply, Map.of("content", text), null));
  }

  @Override
  public void end(Reply reply, EventSink sink) throws IOException, InterruptedException {
    send(sink, chunk(reply, Map.of(), finishReason(reply)));
    if (reply.call().streamUsage()) {
      Map<String, Object> document = head(reply, "chat.completion.chunk");
      document.put("choices", List.of());
      document.put("usage", usage(reply));
      send(sink, document);
    }
    sink.send("[DONE]");
  }

  @Override
  public Answer error(Fault fault, int status, String type, String message) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("message", message);
    error.put("type", type.isEmpty() ? type(fault) : type);
    error.put("param", null);
    error.put("code", code(fault));
    // OpenAI has no 529; its overload is a 503 with a code of its own.
    return Answer.json(status == 529 ? 503 : status, Map.of("error", error));
  }

  private static String type(Fault fault) {
    return switch (fault) {
      case BAD_REQUEST, UNAUTHORIZED -> "invalid_request_error";
      case RATE_LIMITED -> "rate_limit_error";
      case ERROR, OUTAGE, OVERLOAD -> "server_error";
    };
  }

  private static @Nullable String code(Fault fault) {
    return switch (fault) {
      case BAD_REQUEST -> null;
      case UNAUTHORIZED -> "invalid_api_key";
      case RATE_LIMITED -> "rate_limit_exceeded";
      case ERROR -> "internal_error";
      case OUTAGE -> "service_unavailable";
      case OVERLOAD -> "server_is_overloaded";
    };
  }

  private static Map<String, Object> chunk(
      Reply reply, Map<String, Object> delta, @Nullable String finishReason) {
    Map<String, Object> choice = new LinkedHashMap<>();
    choice.put("index", 0);
    choice.put("delta", delta);
    choice.put("logprobs", null);
    choice.put("finish_reason", finishReason);
    Map<String, Object> document = head(reply, "chat.completion.chunk");
    document.put("choices", List.of(choice));
    if (reply.call().streamUsage()) {
      document.put("usage", null);
    }
    return document;
  }

  private static Map<String, Object> head(Reply reply, String object) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", "chatcmpl-" + reply.id());
    document.put("object", object);
    document.put("created", reply.created());
    document.put("model", reply.call().model());
    return document;
  }

  private static Map<String, Object> usage(Reply reply) {
    Map<String, Object> usage = new LinkedHashMap<>();
    usage.put("prompt_tokens", reply.call().promptTokens());
    usage.put("completion_tokens", reply.output().tokens());
    usage.put("total_tokens", reply.call().promptTokens() + reply.output().tokens());
    return usage;
  }

  private static String finishReason(Reply reply) {
    return reply.output().cut() ? "length" : "stop";
  }

  private static void send(EventSink sink, Map<String, Object> document)
      throws IOException, InterruptedException {
    sink.send(JSON.writeValueAsString(document));
  }
}

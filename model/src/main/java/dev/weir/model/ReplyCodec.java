package dev.weir.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Replies as text, to be kept. Without the bodies of the exchange: they would double the size, and
 * the same are not sent again.
 */
final class ReplyCodec {

  private static final int FORMAT = 1;

  // Escaped: a text with half a surrogate pair, which some models do send, survives only so.
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
                  .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                  .build())
          .build();

  private ReplyCodec() {}

  /** Whether a reply would be the same next time: one that a filter cut off need not be. */
  static boolean isWorthKeeping(Response.Reply reply) {
    return reply.stopReason() != StopReason.CONTENT_FILTER;
  }

  static String encode(Response.Reply reply) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", FORMAT);
    json.put("message", message(reply.message()));
    json.put("stop", reply.stopReason().word());
    Usage usage = reply.usage();
    json.put(
        "usage",
        List.of(
            usage.inputTokens(),
            usage.outputTokens(),
            usage.cacheReadTokens(),
            usage.cacheWriteTokens(),
            usage.reasoningTokens()));
    reply.origin().status().ifPresent(status -> json.put("status", status));
    reply.origin().requestId().ifPresent(id -> json.put("request", id));
    return JSON.writeValueAsString(json);
  }

  /** Empty if the text is of a form that is not known here. */
  static Optional<Response.Reply> decode(String text, ModelName model) {
    try {
      JsonNode json = JSON.readTree(text);
      if (json.path("format").asInt(0) != FORMAT) {
        return Optional.empty();
      }
      return Optional.of(
          new Response.Reply(
              message(json.required("message")),
              StopReason.valueOf(json.required("stop").asString().toUpperCase(Locale.ROOT)),
              usage(json.required("usage")),
              origin(json, model)));
    } catch (JacksonException | IllegalArgumentException unknownForm) {
      return Optional.empty();
    }
  }

  /** Also part of the key of a request that has such a message. */
  static Map<String, Object> message(Message.Assistant said) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("text", said.text());
    if (!said.reasoning().isEmpty()) {
      json.put("reasoning", said.reasoning());
    }
    if (!said.toolCalls().isEmpty()) {
      json.put(
          "calls",
          said.toolCalls().stream()
              .map(call -> List.of(call.id(), call.name(), call.arguments()))
              .toList());
    }
    said.nativeForm().ifPresent(form -> json.put("native", List.of(form.wire(), form.json())));
    return json;
  }

  private static Message.Assistant message(JsonNode json) {
    List<ToolCall> calls = new ArrayList<>();
    for (JsonNode call : json.path("calls")) {
      calls.add(new ToolCall(text(call, 0), text(call, 1), text(call, 2)));
    }
    return new Message.Assistant(
        json.required("text").asString(),
        json.path("reasoning").asString(""),
        calls,
        json.has("native")
            ? Optional.of(
                new Message.NativeForm(
                    text(json.required("native"), 0), text(json.required("native"), 1)))
            : Optional.empty());
  }

  private static String text(JsonNode list, int index) {
    return list.required(index).asString();
  }

  private static Usage usage(JsonNode list) {
    return new Usage(
        list.required(0).asLong(),
        list.required(1).asLong(),
        list.required(2).asLong(),
        list.required(3).asLong(),
        list.required(4).asLong());
  }

  private static Origin origin(JsonNode json, ModelName model) {
    return new Origin(
        model,
        json.has("status") ? OptionalInt.of(json.required("status").asInt()) : OptionalInt.empty(),
        "",
        json.has("request") ? Optional.of(json.required("request").asString()) : Optional.empty(),
        0,
        0,
        Optional.empty(),
        true);
  }
}

package dev.weir.log.inspect;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Takes out of the events of a sample what is long or repeated. Inspect puts it back only in
 * certain fields of certain events, so nothing else is touched: a tool's result stays as it is.
 */
final class SampleCondenser {

  private static final int LONGEST_KEPT = 100;
  private static final int KEY_BYTES = 16;

  /** Fields of a raw request that may hold its messages, whichever comes first. */
  private static final List<String> REQUEST_MESSAGES =
      List.of("messages", "contents", "input", "inputs");

  /** Fields of a part of a message that may be long. */
  private static final List<String> CONTENT_FIELDS =
      List.of("text", "reasoning", "image", "audio", "video", "document");

  private final ObjectNode sample;
  private final ObjectNode attachments;
  private final Pool messages = new Pool();
  private final Pool calls = new Pool();

  SampleCondenser(ObjectNode sample) {
    this.sample = sample;
    this.attachments =
        sample.path("attachments") instanceof ObjectNode present
            ? present
            : InspectJson.MAPPER.createObjectNode();
  }

  void condense() {
    // What is pooled already stays as it is.
    boolean isPooled = sample.path("events_data").isObject();
    for (JsonNode node : sample.path("events")) {
      if (node instanceof ObjectNode event) {
        attach(event);
        if (!isPooled && event.path("event").asString("").equals("model")) {
          pool(event);
        }
      }
    }
    for (JsonNode retry : sample.path("error_retries")) {
      for (JsonNode node : retry.path("events")) {
        if (node instanceof ObjectNode event) {
          attach(event);
        }
      }
    }
    sample.set("attachments", attachments);
    if (!messages.isEmpty() || !calls.isEmpty()) {
      ObjectNode pools = sample.putObject("events_data");
      pools.set("messages", messages.content);
      pools.set("calls", calls.content);
    }
  }

  private void attach(ObjectNode event) {
    switch (event.path("event").asString("")) {
      case "sample_init" -> {
        if (event.path("sample") instanceof ObjectNode inner) {
          if (inner.path("input").isString()) {
            replace(inner, "input");
          } else {
            inner.path("input").forEach(this::attachMessage);
          }
        }
        replace(event, "state");
      }
      case "model" -> {
        event.path("tools").forEach(tool -> replaceText(tool, "description"));
        event.path("input").forEach(this::attachMessage);
        event
            .path("output")
            .path("choices")
            .forEach(choice -> attachMessage(choice.path("message")));
        if (event.path("call") instanceof ObjectNode call) {
          replace(call, "request");
          replace(call, "response");
        }
      }
      case "state", "store" -> {
        for (JsonNode change : event.path("changes")) {
          if (change instanceof ObjectNode object) {
            replace(object, "value");
          }
        }
      }
      case "tool" -> replace(event, "arguments");
      case "info" -> replace(event, "data");
      default -> {}
    }
  }

  private void attachMessage(JsonNode message) {
    replaceText(message, "content");
    for (JsonNode part : message.path("content")) {
      CONTENT_FIELDS.forEach(field -> replaceText(part, field));
    }
  }

  private void replaceText(JsonNode node, String field) {
    if (node instanceof ObjectNode object && object.path(field).isString()) {
      replace(object, field);
    }
  }

  /** Long texts in a field, at any depth. */
  private void replace(ObjectNode object, String field) {
    JsonNode value = object.get(field);
    if (value != null) {
      object.set(field, replaced(value));
    }
  }

  private JsonNode replaced(JsonNode value) {
    switch (value) {
      case StringNode text -> {
        return text.stringValue().length() > LONGEST_KEPT ? attached(text.stringValue()) : text;
      }
      case ObjectNode object -> {
        for (var field : object.properties()) {
          field.setValue(replaced(field.getValue()));
        }
      }
      case ArrayNode array -> {
        for (int i = 0; i < array.size(); i++) {
          array.set(i, replaced(array.get(i)));
        }
      }
      default -> {}
    }
    return value;
  }

  private StringNode attached(String text) {
    String key = key(text);
    attachments.put(key, text);
    return StringNode.valueOf(SampleResolver.ATTACHMENT + key);
  }

  private static String key(String text) {
    try {
      // UTF-16, in which texts that differ in half a character differ, too.
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_16BE));
      return HexFormat.of().formatHex(digest, 0, KEY_BYTES);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private void pool(ObjectNode event) {
    if (event.path("input") instanceof ArrayNode input && !input.isEmpty()) {
      event.set("input_refs", messages.ranges(input));
      event.set("input", InspectJson.MAPPER.createArrayNode());
    }
    if (event.path("call") instanceof ObjectNode call
        && call.path("request") instanceof ObjectNode request) {
      REQUEST_MESSAGES.stream()
          .filter(request::has)
          .findFirst()
          .filter(key -> request.get(key).isArray() && !request.get(key).isEmpty())
          .ifPresent(
              key -> {
                call.set("call_refs", calls.ranges((ArrayNode) request.get(key)));
                call.put("call_key", key);
                request.remove(key);
              });
    }
  }

  /** Values, each there once. */
  private static final class Pool {

    final ArrayNode content = InspectJson.MAPPER.createArrayNode();
    private final Map<String, Integer> places = new HashMap<>();

    boolean isEmpty() {
      return content.isEmpty();
    }

    /** Where the values are, as pairs of first and last, the latter exclusive. */
    ArrayNode ranges(ArrayNode values) {
      ArrayNode ranges = InspectJson.MAPPER.createArrayNode();
      int from = -1;
      int to = -1;
      for (JsonNode value : values) {
        int place = place(value);
        if (place != to) {
          add(ranges, from, to);
          from = place;
        }
        to = place + 1;
      }
      add(ranges, from, to);
      return ranges;
    }

    private static void add(ArrayNode ranges, int from, int to) {
      if (from >= 0) {
        ranges.addArray().add(from).add(to);
      }
    }

    private int place(JsonNode value) {
      // By its text: 1 and 1.0 are not the same to whoever reads it.
      return places.computeIfAbsent(
          value.toString(),
          _ -> {
            content.add(value);
            return content.size() - 1;
          });
    }
  }
}

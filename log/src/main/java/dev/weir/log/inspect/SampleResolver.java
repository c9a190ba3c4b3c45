package dev.weir.log.inspect;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Puts back into a sample what condensing took out of it. */
final class SampleResolver {

  static final String ATTACHMENT = "attachment://";

  /** How logs of 2024 named them. */
  private static final String OLD_ATTACHMENT = "tc://";

  /** A few bytes in a file can stand for that many. */
  private static final long MOST_MESSAGES = 10_000_000;

  private final ObjectNode sample;
  private final JsonNode attachments;
  private final JsonNode pools;
  private long messages;

  SampleResolver(ObjectNode sample) {
    this.sample = sample;
    this.attachments = sample.path("attachments");
    this.pools = sample.path("events_data");
  }

  void resolve() throws IOException {
    if (attachments.isObject() && !attachments.isEmpty()) {
      sample.set("attachments", InspectJson.MAPPER.createObjectNode());
      replaceIn(sample);
    }
    for (JsonNode event : sample.path("events")) {
      if (event instanceof ObjectNode object) {
        fillFromPools(object);
      }
    }
    if (pools.isObject()) {
      sample.remove("events_data");
    }
  }

  private void fillFromPools(ObjectNode event) throws IOException {
    if (event.path("input_refs").isArray()) {
      event.set("input", taken(event.path("input_refs"), pools.path("messages")));
      event.remove("input_refs");
    }
    if (event.path("call") instanceof ObjectNode call
        && call.path("call_refs").isArray()
        && call.path("request") instanceof ObjectNode request) {
      request.set(
          call.path("call_key").asString("messages"),
          taken(call.path("call_refs"), pools.path("calls")));
      call.remove("call_refs");
      call.remove("call_key");
    }
  }

  /** The parts of a pool that pairs of first and last (exclusive) name; no more than there are. */
  private ArrayNode taken(JsonNode ranges, JsonNode pool) throws IOException {
    ArrayNode taken = InspectJson.MAPPER.createArrayNode();
    for (JsonNode range : ranges) {
      int from = Math.max(0, range.path(0).asInt(0));
      int to = Math.min(pool.size(), range.path(1).asInt(0));
      messages += Math.max(0, to - from);
      if (messages > MOST_MESSAGES) {
        throw new IOException(
            "the events of a sample have more than " + MOST_MESSAGES + " messages");
      }
      for (int i = from; i < to; i++) {
        taken.add(pool.get(i));
      }
    }
    return taken;
  }

  private void replaceIn(JsonNode node) {
    switch (node) {
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
  }

  private JsonNode replaced(JsonNode value) {
    if (!value.isString()) {
      replaceIn(value);
      return value;
    }
    String text = value.stringValue();
    String key =
        text.startsWith(ATTACHMENT)
            ? text.substring(ATTACHMENT.length())
            : text.startsWith(OLD_ATTACHMENT) ? text.substring(OLD_ATTACHMENT.length()) : "";
    JsonNode content = attachments.path(key);
    return content.isString() ? StringNode.valueOf(content.stringValue()) : value;
  }
}

package dev.weir.log.inspect;

import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** The summary of a sample: what a list of samples shows. */
final class Summary {

  private static final int LONGEST_TEXT = 5_120;

  private static final int LONGEST_METADATA = 1_024;

  /** Fields that a summary has as the sample has them. */
  private static final List<String> SAME =
      List.of(
          "id",
          "epoch",
          "input",
          "choices",
          "target",
          "metadata",
          "scores",
          "model_usage",
          "role_usage",
          "started_at",
          "completed_at",
          "total_time",
          "working_time",
          "uuid");

  private Summary() {}

  static byte[] of(byte[] sample) throws IOException {
    return InspectJson.reading(
        "a sample", () -> InspectJson.bytes(of(InspectJson.MAPPER.readTree(sample))));
  }

  private static ObjectNode of(JsonNode sample) {
    ObjectNode summary = InspectJson.MAPPER.createObjectNode();
    for (String field : SAME) {
      JsonNode value = sample.get(field);
      if (value != null) {
        summary.set(field, field.equals("metadata") ? scalars(value) : thin(value));
      }
    }
    text(summary, "error", sample.path("error").path("message"));
    text(summary, "limit", sample.path("limit").path("type"));
    if (sample.path("error_retries").isArray()) {
      summary.put("retries", sample.path("error_retries").size());
    }
    summary.put("completed", sample.path("error").isMissingNode());
    summary.put("message_count", sample.path("messages").size());
    return summary;
  }

  private static void text(ObjectNode summary, String field, JsonNode value) {
    if (value.isString()) {
      summary.put(field, value.stringValue());
    }
  }

  /** Long texts are cut, at any depth. */
  private static JsonNode thin(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING ->
          value.stringValue().length() > LONGEST_TEXT
              ? StringNode.valueOf(value.stringValue().substring(0, LONGEST_TEXT))
              : value;
      case ARRAY -> {
        var thinned = InspectJson.MAPPER.createArrayNode();
        value.valueStream().map(Summary::thin).forEach(thinned::add);
        yield thinned;
      }
      case OBJECT -> {
        var thinned = InspectJson.MAPPER.createObjectNode();
        value.properties().forEach(field -> thinned.set(field.getKey(), thin(field.getValue())));
        yield thinned;
      }
      default -> value;
    };
  }

  private static JsonNode scalars(JsonNode metadata) {
    var small = InspectJson.MAPPER.createObjectNode();
    metadata
        .properties()
        .forEach(
            field -> {
              JsonNode value = field.getValue();
              boolean isSmall =
                  !value.isString() || value.stringValue().length() <= LONGEST_METADATA;
              if (value.isValueNode() && isSmall) {
                small.set(field.getKey(), value);
              }
            });
    return small;
  }
}

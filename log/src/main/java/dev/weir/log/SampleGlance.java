package dev.weir.log;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is needed of a sample to count it: which models were called, and how it ended. Conversations
 * and what was asked are passed over, which is most of a sample.
 */
final class SampleGlance {

  private static final ObjectReader PARTS =
      LogJson.LINES.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /**
   * Of an object, these fields; without any, all of it.
   *
   * @param isEvent whether its type decides if it is wanted at all
   */
  private record Wanted(Map<String, Wanted> fields, boolean isEvent) {

    Wanted(Map<String, Wanted> fields) {
      this(fields, false);
    }
  }

  private static final Wanted ALL = new Wanted(Map.of());

  private static final String TYPE = "event";

  private static final Wanted EVENT =
      new Wanted(
          Map.ofEntries(
              Map.entry(TYPE, ALL),
              Map.entry("source", ALL),
              Map.entry("model", ALL),
              Map.entry("role", ALL),
              Map.entry("output", new Wanted(Map.of("usage", ALL))),
              Map.entry("retries", ALL),
              Map.entry("cache", ALL),
              Map.entry("error", ALL),
              Map.entry("metadata", ALL),
              Map.entry(
                  "data",
                  new Wanted(
                      Map.of(
                          "cancelled", ALL,
                          "retries", ALL,
                          "tokens", ALL,
                          "cost", ALL,
                          "times", ALL,
                          "limit", ALL,
                          "cached_answers", ALL)))),
          true);

  private static final Wanted SAMPLE =
      new Wanted(
          Map.of(
              "id", ALL,
              "epoch", ALL,
              "started_at", ALL,
              "error", ALL,
              "limit", ALL,
              "events", EVENT));

  private static final Wanted WITH_METADATA = withMetadata();

  private SampleGlance() {}

  private static Wanted withMetadata() {
    Map<String, Wanted> fields = new HashMap<>(SAMPLE.fields);
    fields.put("metadata", ALL);
    return new Wanted(fields);
  }

  /**
   * The sample without its scores and without what was said; absent if another program wrote it, or
   * it is no sample.
   *
   * @param withMetadata whether it is to have that, too
   */
  static Optional<SampleResult> of(byte[] json, boolean withMetadata) {
    try (JsonParser parser = LogJson.LINES.createParser(json)) {
      parser.nextToken();
      JsonNode part = read(parser, withMetadata ? WITH_METADATA : SAMPLE);
      return InspectSampleReader.isOwn(part)
          ? Optional.of(InspectSampleReader.read(part))
          : Optional.empty();
    } catch (JacksonException foreign) {
      return Optional.empty();
    }
  }

  private static JsonNode read(JsonParser parser, Wanted wanted) {
    if (wanted.fields.isEmpty()) {
      return PARTS.readTree(parser);
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, wanted);
      case START_ARRAY -> {
        ArrayNode array = LogJson.LINES.createArrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(read(parser, wanted));
        }
        yield array;
      }
      default -> PARTS.readTree(parser);
    };
  }

  private static ObjectNode object(JsonParser parser, Wanted wanted) {
    ObjectNode object = LogJson.LINES.createObjectNode();
    boolean isOver = false;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      Wanted part = wanted.fields.get(parser.currentName());
      String name = parser.currentName();
      parser.nextToken();
      if (part == null || isOver) {
        parser.skipChildren();
      } else {
        object.set(name, read(parser, part));
        isOver = wanted.isEvent && name.equals(TYPE) && !isCounted(object);
      }
    }
    return object;
  }

  /** Calls, and what Weir has no other place for. */
  private static boolean isCounted(ObjectNode event) {
    String type = event.path(TYPE).asString("");
    return type.equals("model") || type.equals("info");
  }
}

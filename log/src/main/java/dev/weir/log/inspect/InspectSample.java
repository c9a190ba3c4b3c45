package dev.weir.log.inspect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A sample, or the summary of one, as it stands in a log. */
public final class InspectSample {

  private final SampleId id;
  private final int epoch;
  private final byte[] json;

  private InspectSample(SampleId id, int epoch, byte[] json) {
    this.id = id;
    this.epoch = epoch;
    this.json = json;
  }

  /** As {@link #of}, and makes sure that all of it is JSON. */
  static InspectSample whole(String where, byte[] json) throws IOException {
    InspectJson.skip(where, new ByteArrayInputStream(json));
    return of(where, json);
  }

  /**
   * Finds id and epoch in the JSON of a sample.
   *
   * @param where for the message
   * @throws IOException if it is not the JSON of a sample
   */
  public static InspectSample of(String where, byte[] json) throws IOException {
    return InspectJson.reading(
        where,
        () -> {
          try (JsonParser parser = InspectJson.MAPPER.createParser(json)) {
            return of(where, json, parser);
          }
        });
  }

  private static InspectSample of(String where, byte[] json, JsonParser parser) throws IOException {
    SampleId id = null;
    Integer epoch = null;
    if (parser.nextToken() == JsonToken.START_OBJECT) {
      while ((id == null || epoch == null) && parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        if (field.equals("id")) {
          id = id(parser);
        } else if (field.equals("epoch") && parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
          epoch = parser.getIntValue();
        }
        parser.skipChildren();
      }
    }
    if (id == null || epoch == null) {
      throw new DamagedException(where + " has no id and epoch of a sample");
    }
    return new InspectSample(id, epoch, json);
  }

  /** The id at which the parser stands; null if that is none. */
  static @Nullable SampleId id(JsonParser parser) {
    return switch (parser.currentToken()) {
      case VALUE_STRING -> new SampleId(parser.getString(), false);
      case VALUE_NUMBER_INT -> new SampleId(parser.getString(), true);
      default -> null;
    };
  }

  public SampleId id() {
    return id;
  }

  public int epoch() {
    return epoch;
  }

  /** The JSON in UTF-8: not a copy, and not to be written to. */
  public byte[] json() {
    return json;
  }

  public String text() {
    return new String(json, StandardCharsets.UTF_8);
  }

  /** The summary of this sample: JSON in UTF-8. */
  public byte[] summary() throws IOException {
    return Summary.of(json);
  }

  /** The sample with its attachments and the pools of its events put where they are used. */
  public InspectSample resolved() throws IOException {
    return new InspectSample(id, epoch, Condensing.resolve(json));
  }

  @Override
  public String toString() {
    return "sample " + id + ", epoch " + epoch;
  }
}

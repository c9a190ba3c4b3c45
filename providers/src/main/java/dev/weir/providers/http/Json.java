package dev.weir.providers.http;

import dev.weir.model.Secret;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON value as a server sent it. Whatever is missing, or of another type than was asked for, is
 * absent: a reader takes what it knows and leaves the rest. Immutable.
 */
public final class Json {

  /** Nothing there. */
  public static final Json ABSENT = new Json(null);

  private static final int DEEPEST = 200;
  private static final char NOT_A_CHARACTER = '\uFFFD';

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final @Nullable JsonNode node;

  private Json(@Nullable JsonNode node) {
    this.node = node == null || node.isNull() || node.isMissingNode() ? null : node;
  }

  /**
   * @param body in UTF-8; a mark stands for what is not
   * @throws UnreadableException if it is not one JSON value
   */
  public static Json parse(byte[] body) throws UnreadableException {
    try {
      return new Json(MAPPER.readTree(body));
    } catch (JacksonException malformed) {
      // Half a character of a text that was cut is no reason to lose an answer.
      String text = new String(body, StandardCharsets.UTF_8);
      if (text.indexOf(NOT_A_CHARACTER) >= 0) {
        return parse(text);
      }
      throw new UnreadableException("it is not JSON: " + malformed.getOriginalMessage());
    }
  }

  /** As {@link #parse(byte[])}. */
  public static Json parse(String text) throws UnreadableException {
    try {
      return new Json(MAPPER.readTree(text));
    } catch (JacksonException malformed) {
      throw new UnreadableException("it is not JSON: " + malformed.getOriginalMessage());
    }
  }

  /** The value, or {@link #ABSENT} if the body is not JSON. */
  static Json parseOrAbsent(byte[] body) {
    try {
      return parse(body);
    } catch (UnreadableException notJson) {
      return ABSENT;
    }
  }

  /** The value, or {@link #ABSENT} if the text is not JSON. */
  public static Json parseOrAbsent(String text) {
    try {
      return parse(text);
    } catch (UnreadableException notJson) {
      return ABSENT;
    }
  }

  /**
   * The text of a value made of maps, lists, texts, numbers, flags and {@link #embed embedded}
   * values.
   */
  public static byte[] write(Map<String, ?> object) {
    return MAPPER.writeValueAsBytes(object);
  }

  /** As {@link #write}, for a text. */
  public static String text(Map<String, ?> object) {
    return MAPPER.writeValueAsString(object);
  }

  /** The same of a list. */
  public static String text(List<?> list) {
    return MAPPER.writeValueAsString(list);
  }

  /**
   * A JSON text as a member of what {@link #write} takes.
   *
   * @throws IllegalArgumentException if it is not JSON
   */
  public static Object embed(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JacksonException malformed) {
      throw new IllegalArgumentException("not JSON: " + malformed.getOriginalMessage(), malformed);
    }
  }

  /** This value as a member of what {@link #write} takes. */
  public Object embedded() {
    return node == null ? MAPPER.nullNode() : node;
  }

  public boolean isPresent() {
    return node != null;
  }

  public boolean isObject() {
    return node != null && node.isObject();
  }

  public boolean isList() {
    return node != null && node.isArray();
  }

  /** The member that a path of names leads to. */
  public Json at(String... path) {
    return new Json(find(path));
  }

  private @Nullable JsonNode find(String... path) {
    JsonNode here = node;
    for (String name : path) {
      here = here == null ? null : here.get(name);
    }
    return here;
  }

  /** The members of a list; none if it is not one. */
  public List<Json> list(String... path) {
    JsonNode here = find(path);
    if (here == null || !here.isArray() || here.isEmpty()) {
      return List.of();
    }
    List<Json> members = new ArrayList<>(here.size());
    for (JsonNode member : here) {
      members.add(new Json(member));
    }
    return members;
  }

  /** The names of an object's members, in order; none if it is not one. */
  public List<String> names() {
    return node == null ? List.of() : List.copyOf(node.propertyNames());
  }

  /** A text; not a number. */
  public Optional<String> text(String... path) {
    JsonNode here = find(path);
    return here != null && here.isString() ? Optional.of(here.asString()) : Optional.empty();
  }

  /** A text; empty if there is none. */
  public String textOrEmpty(String... path) {
    JsonNode here = find(path);
    return here != null && here.isString() ? here.asString() : "";
  }

  /** A text, a number or a flag as text. */
  public Optional<String> scalar(String... path) {
    JsonNode here = find(path);
    return here != null && here.isValueNode() && !here.isNull()
        ? Optional.of(here.asString())
        : Optional.empty();
  }

  public OptionalLong whole(String... path) {
    JsonNode here = find(path);
    return here != null && here.isNumber() && here.canConvertToLong()
        ? OptionalLong.of(here.longValue())
        : OptionalLong.empty();
  }

  public OptionalDouble number(String... path) {
    JsonNode here = find(path);
    return here != null && here.isNumber()
        ? OptionalDouble.of(here.doubleValue())
        : OptionalDouble.empty();
  }

  public Optional<Boolean> flag(String... path) {
    JsonNode here = find(path);
    return here != null && here.isBoolean() ? Optional.of(here.asBoolean()) : Optional.empty();
  }

  /** Tokens: a whole number that is not negative; 0 if absent. */
  public long count(String... path) {
    JsonNode here = find(path);
    return here != null && here.isNumber() && here.canConvertToLong()
        ? Math.max(0, here.longValue())
        : 0;
  }

  /** The same value without a credential, which may hide in it behind escapes. */
  Json redacted(Secret secret) {
    return node == null ? this : new Json(redacted(node, secret));
  }

  private static JsonNode redacted(JsonNode node, Secret secret) {
    if (node.isString()) {
      return MAPPER.getNodeFactory().stringNode(secret.redact(node.asString()));
    }
    if (node.isArray()) {
      ArrayNode list = MAPPER.createArrayNode();
      node.forEach(member -> list.add(redacted(member, secret)));
      return list;
    }
    if (node.isObject()) {
      ObjectNode object = MAPPER.createObjectNode();
      node.forEachEntry((name, value) -> object.set(secret.redact(name), redacted(value, secret)));
      return object;
    }
    return node;
  }

  /** The JSON text. */
  @Override
  public String toString() {
    return node == null ? "null" : node.toString();
  }
}

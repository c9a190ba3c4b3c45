package dev.weir.eval.tool;

import dev.weir.model.Spelling;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A Java type as a model sees it: its JSON schema, and how a value of it is read. */
sealed interface ArgumentType {

  /** How much of a wrong value is shown to the model that wrote it. */
  int LONGEST_SHOWN = 80;

  ObjectNode schema();

  /**
   * @param where for the message: {@code `names[2]`}
   * @throws ToolException what is wrong, for the model
   */
  Object read(JsonNode given, String where);

  /**
   * @param where for the message: {@code parameter `names` of Desk.find}
   * @throws IllegalArgumentException if a model cannot be asked for such a value
   */
  static ArgumentType of(Type type, String where) {
    return of(type, where, Set.of());
  }

  /**
   * @param within the records that it is a part of
   */
  static ArgumentType of(Type type, String where, Set<Class<?>> within) {
    if (type instanceof ParameterizedType parameterized
        && parameterized.getRawType().equals(List.class)) {
      return new ListOf(of(parameterized.getActualTypeArguments()[0], where, within));
    }
    if (type instanceof Class<?> plain) {
      if (plain.isEnum()) {
        return new Choice(List.of(plain.getEnumConstants()));
      }
      if (plain.isRecord()) {
        return Members.ofRecord(plain, where, within);
      }
      for (Simple simple : Simple.values()) {
        if (plain == simple.type || plain == simple.boxed) {
          return simple;
        }
      }
    }
    throw new IllegalArgumentException(
        ("%s must be a String, int, long, double, boolean, an enum, a record, a List or an Optional"
                + " of one of these, was %s")
            .formatted(where, type.getTypeName()));
  }

  /** What an {@code Optional} holds; empty if the type is none. */
  static Optional<Type> optional(Type type) {
    return type instanceof ParameterizedType parameterized
            && parameterized.getRawType().equals(Optional.class)
        ? Optional.of(parameterized.getActualTypeArguments()[0])
        : Optional.empty();
  }

  static ToolException wrong(String where, String rule, JsonNode given) {
    String shown = given.toString();
    return new ToolException(
        "%s must be %s, was %s"
            .formatted(
                where,
                rule,
                shown.length() > LONGEST_SHOWN ? shown.substring(0, LONGEST_SHOWN) + "…" : shown));
  }

  private static ObjectNode typed(String type) {
    return JsonNodeFactory.instance.objectNode().put("type", type);
  }

  /** Types without parts. */
  enum Simple implements ArgumentType {
    TEXT("string", "text", String.class, String.class),
    WHOLE("integer", "a whole number", int.class, Integer.class),
    LONG_WHOLE("integer", "a whole number", long.class, Long.class),
    NUMBER("number", "a number", double.class, Double.class),
    FLAG("boolean", "true or false", boolean.class, Boolean.class);

    private final String json;
    private final String rule;
    private final Class<?> type;
    private final Class<?> boxed;

    Simple(String json, String rule, Class<?> type, Class<?> boxed) {
      this.json = json;
      this.rule = rule;
      this.type = type;
      this.boxed = boxed;
    }

    @Override
    public ObjectNode schema() {
      return typed(json);
    }

    @Override
    public Object read(JsonNode given, String where) {
      return value(given).orElseThrow(() -> wrong(where, rule, given));
    }

    private Optional<Object> value(JsonNode given) {
      return switch (this) {
        case TEXT -> given.isString() ? Optional.of(given.stringValue()) : Optional.empty();
        // A whole number may be written 5.0.
        case WHOLE ->
            given.isNumber() && given.canConvertToExactIntegral() && given.canConvertToInt()
                ? Optional.of((int) given.doubleValue())
                : Optional.empty();
        case LONG_WHOLE ->
            given.isNumber() && given.canConvertToExactIntegral() && given.canConvertToLong()
                ? Optional.of(given.decimalValue().longValueExact())
                : Optional.empty();
        case NUMBER -> given.isNumber() ? Optional.of(given.doubleValue()) : Optional.empty();
        case FLAG -> given.isBoolean() ? Optional.of(given.booleanValue()) : Optional.empty();
      };
    }
  }

  /** One of several words. */
  record Choice(List<Object> constants) implements ArgumentType {

    @Override
    public ObjectNode schema() {
      ObjectNode schema = typed("string");
      constants.forEach(constant -> schema.withArray("enum").add(constant.toString()));
      return schema;
    }

    @Override
    public Object read(JsonNode given, String where) {
      List<String> words = constants.stream().map(Object::toString).toList();
      int index = given.isString() ? words.indexOf(given.stringValue()) : -1;
      if (index < 0) {
        throw given.isString()
            ? new ToolException(
                "%s must be one of %s, was %s%s"
                    .formatted(
                        where,
                        String.join(", ", words),
                        given,
                        Spelling.nearest(given.stringValue(), words)
                            .map("; did you mean '%s'?"::formatted)
                            .orElse("")))
            : wrong(where, "one of " + String.join(", ", words), given);
      }
      return constants.get(index);
    }
  }

  /** Any number of values of one type. */
  record ListOf(ArgumentType item) implements ArgumentType {

    @Override
    public ObjectNode schema() {
      ObjectNode schema = typed("array");
      schema.set("items", item.schema());
      return schema;
    }

    @Override
    public Object read(JsonNode given, String where) {
      if (!given.isArray()) {
        throw wrong(where, "a list", given);
      }
      List<Object> values = new ArrayList<>();
      for (JsonNode value : given) {
        String bare = where.substring(0, where.length() - 1);
        values.add(item.read(value, "%s[%d]`".formatted(bare, values.size())));
      }
      return List.copyOf(values);
    }
  }

  /** A record. */
  record RecordOf(Members members, Members.Maker maker) implements ArgumentType {

    @Override
    public ObjectNode schema() {
      return members.schema();
    }

    @Override
    public Object read(JsonNode given, String where) {
      Object[] values = members.read(given, where);
      try {
        return maker.make(values);
      } catch (IllegalArgumentException refused) {
        // Its own constructor checks what it is given.
        throw new ToolException("%s: %s".formatted(where, refused.getMessage()), refused);
      }
    }
  }
}

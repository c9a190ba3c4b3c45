package dev.weir.eval.promptfoo;

import dev.harrel.jsonschema.Error;
import dev.harrel.jsonschema.InvalidSchemaException;
import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SimpleType;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.weir.eval.scorer.NoScoreException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** JSON schemas over plain maps, lists and scalars. */
final class Schemas {

  private Schemas() {}

  /** What is wrong with a schema; nothing if it can be used. */
  static Optional<String> defect(@Nullable Object schema) {
    if (!(schema instanceof Map) && !(schema instanceof Boolean)) {
      return Optional.of("the schema cannot be used: it must be a mapping");
    }
    Optional<String> defect;
    try {
      factory().createValidator().registerSchema(new Plain(schema, ""));
      defect = SchemaParts.defect(schema);
    } catch (InvalidSchemaException invalid) {
      defect = Optional.of(first(invalid.getErrors(), String.valueOf(invalid.getMessage())));
    } catch (RuntimeException unusable) {
      defect = Optional.of(String.valueOf(unusable.getMessage()));
    }
    return defect.map("the schema cannot be used: "::concat);
  }

  /**
   * What is wrong with a value; nothing if it fits.
   *
   * @throws NoScoreException if the schema cannot be used
   */
  static Optional<String> problem(@Nullable Object schema, @Nullable Object value) {
    Validator.Result result;
    try {
      result = factory().validate(new Plain(schema, ""), new Plain(value, ""));
    } catch (RuntimeException unusable) {
      throw new NoScoreException(
          defect(schema).orElse("the schema cannot be used: " + unusable.getMessage()));
    }
    if (result.isValid()) {
      return Optional.empty();
    }
    for (Error error : result.getErrors()) {
      // What refers to nothing says nothing of the value.
      if (String.valueOf(error.getError()).startsWith("Resolution of ")) {
        throw new NoScoreException("the schema cannot be used: " + error.getError());
      }
    }
    return Optional.of(first(result.getErrors(), "it does not fit the schema"));
  }

  private static ValidatorFactory factory() {
    return new ValidatorFactory().withJsonNodeFactory(new Factory());
  }

  private static String first(List<Error> errors, String otherwise) {
    return errors.stream()
        .filter(error -> error.getError() != null)
        .map(
            error ->
                error.getInstanceLocation().isEmpty()
                    ? error.getError()
                    : "%s: %s".formatted(error.getInstanceLocation(), error.getError()))
        .findFirst()
        .orElse(otherwise);
  }

  private static final class Factory implements JsonNodeFactory {

    @Override
    public JsonNode wrap(Object node) {
      return node instanceof JsonNode wrapped ? wrapped : new Plain(node, "");
    }

    @Override
    public JsonNode create(String json) {
      return new Plain(
          Json.parse(json)
              .orElseThrow(() -> new IllegalArgumentException("this is no JSON"))
              .data(),
          "");
    }
  }

  /** A plain value as the validator sees it. */
  private record Plain(@Nullable Object value, String pointer) implements JsonNode {

    @Override
    public String getJsonPointer() {
      return pointer;
    }

    @Override
    public SimpleType getNodeType() {
      return switch (value) {
        case null -> SimpleType.NULL;
        case Boolean _ -> SimpleType.BOOLEAN;
        case Number number ->
            Json.decimal(number).stripTrailingZeros().scale() <= 0
                ? SimpleType.INTEGER
                : SimpleType.NUMBER;
        case List<?> _ -> SimpleType.ARRAY;
        case Map<?, ?> _ -> SimpleType.OBJECT;
        default -> SimpleType.STRING;
      };
    }

    @Override
    public boolean asBoolean() {
      return Boolean.TRUE.equals(value);
    }

    @Override
    public String asString() {
      return value == null ? "null" : Json.scalarText(value);
    }

    @Override
    public BigInteger asInteger() {
      return asNumber().toBigInteger();
    }

    @Override
    public BigDecimal asNumber() {
      return value instanceof Number number ? Json.decimal(number) : BigDecimal.ZERO;
    }

    @Override
    public List<JsonNode> asArray() {
      List<JsonNode> members = new ArrayList<>();
      if (value instanceof List<?> list) {
        for (Object member : list) {
          members.add(new Plain(member, pointer + "/" + members.size()));
        }
      }
      return members;
    }

    @Override
    public Map<String, JsonNode> asObject() {
      Map<String, JsonNode> members = new LinkedHashMap<>();
      if (value instanceof Map<?, ?> map) {
        map.forEach(
            (key, member) -> {
              String name = String.valueOf(key);
              members.put(
                  name, new Plain(member, pointer + "/" + JsonNode.encodeJsonPointer(name)));
            });
      }
      return members;
    }

    /** Equal if the values are, wherever they stand. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Plain plain && Json.same(value, plain.value);
    }

    /** The same for 1 and 1.0. */
    @Override
    public int hashCode() {
      return switch (value) {
        case Number number -> Double.hashCode(number.doubleValue());
        case List<?> list -> list.size();
        case Map<?, ?> map -> map.keySet().hashCode();
        case null -> 0;
        default -> Objects.hashCode(value);
      };
    }
  }
}

package dev.weir.eval.scorer;

import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SimpleType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A document as the validator of schemas wants to see it. */
record SchemaNode(tools.jackson.databind.JsonNode node, String pointer) implements JsonNode {

  static final JsonNodeFactory FACTORY =
      new JsonNodeFactory() {
        @Override
        public JsonNode wrap(Object node) {
          return node instanceof SchemaNode wrapped
              ? wrapped
              : new SchemaNode((tools.jackson.databind.JsonNode) node, "");
        }

        @Override
        public JsonNode create(String json) {
          return new SchemaNode(JsonValues.MAPPER.readTree(json), "");
        }
      };

  @Override
  public String getJsonPointer() {
    return pointer;
  }

  @Override
  public SimpleType getNodeType() {
    return switch (node.getNodeType()) {
      case OBJECT, POJO -> SimpleType.OBJECT;
      case ARRAY -> SimpleType.ARRAY;
      case STRING, BINARY -> SimpleType.STRING;
      case BOOLEAN -> SimpleType.BOOLEAN;
      case NUMBER -> isWhole() ? SimpleType.INTEGER : SimpleType.NUMBER;
      case NULL, MISSING -> SimpleType.NULL;
    };
  }

  /** 1.0 is whole, too. */
  private boolean isWhole() {
    return node.isIntegralNumber() || node.decimalValue().stripTrailingZeros().scale() <= 0;
  }

  @Override
  public boolean asBoolean() {
    return node.booleanValue();
  }

  @Override
  public String asString() {
    return node.isString() ? node.stringValue() : node.toString();
  }

  @Override
  public BigInteger asInteger() {
    return node.decimalValue().toBigInteger();
  }

  @Override
  public BigDecimal asNumber() {
    return node.decimalValue();
  }

  @Override
  public List<JsonNode> asArray() {
    List<JsonNode> items = new ArrayList<>(node.size());
    for (tools.jackson.databind.JsonNode item : node) {
      items.add(new SchemaNode(item, pointer + "/" + items.size()));
    }
    return items;
  }

  @Override
  public Map<String, JsonNode> asObject() {
    Map<String, JsonNode> fields = new LinkedHashMap<>();
    node.properties()
        .forEach(
            field ->
                fields.put(
                    field.getKey(),
                    new SchemaNode(
                        field.getValue(),
                        pointer + "/" + JsonNode.encodeJsonPointer(field.getKey()))));
    return fields;
  }

  /** By value: the validator compares constants and looks for items that are there twice. */
  @Override
  public boolean equals(Object other) {
    return other instanceof SchemaNode that && JsonValues.areEqual(node, that.node);
  }

  /** Equal numbers may be written in several ways; there are few of them in a set. */
  @Override
  public int hashCode() {
    return getNodeType() == SimpleType.STRING ? node.hashCode() : 0;
  }
}

package dev.weir.log.inspect;

import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SimpleType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON tree as the validator of schemas wants to see it. */
record TreeNode(tools.jackson.databind.JsonNode node, String pointer) implements JsonNode {

  static final JsonNodeFactory FACTORY =
      new JsonNodeFactory() {
        @Override
        public JsonNode wrap(Object node) {
          return node instanceof TreeNode wrapped
              ? wrapped
              : new TreeNode((tools.jackson.databind.JsonNode) node, "");
        }

        @Override
        public JsonNode create(String json) {
          return new TreeNode(InspectJson.MAPPER.readTree(json), "");
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
      case NUMBER ->
          asNumber().stripTrailingZeros().scale() <= 0 ? SimpleType.INTEGER : SimpleType.NUMBER;
      case NULL, MISSING -> SimpleType.NULL;
    };
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
    return asNumber().toBigInteger();
  }

  /** The format allows NaN, and no schema does. */
  @Override
  public BigDecimal asNumber() {
    boolean isFinite = node.isBigDecimal() || Double.isFinite(node.doubleValue());
    return isFinite ? node.decimalValue() : BigDecimal.ZERO;
  }

  @Override
  public List<JsonNode> asArray() {
    List<JsonNode> items = new ArrayList<>(node.size());
    for (tools.jackson.databind.JsonNode item : node) {
      items.add(new TreeNode(item, pointer + "/" + items.size()));
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
                    new TreeNode(
                        field.getValue(),
                        pointer + "/" + JsonNode.encodeJsonPointer(field.getKey()))));
    return fields;
  }
}

package dev.weir.eval.tool;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A function with a schema that somebody wrote. */
final class FunctionTool implements EvalTool {

  private static final TypeReference<Map<String, @Nullable Object>> VALUES =
      new TypeReference<>() {};

  private final Tool definition;
  private final List<String> required;
  private final ToolFunction function;

  FunctionTool(String name, String description, String schemaJson, ToolFunction function) {
    JsonNode schema =
        CallJson.tree(schemaJson)
            .filter(tree -> tree.path("type").asString("").equals("object"))
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "`schemaJson` must be the JSON schema of an object, such as"
                            + " {\"type\": \"object\", \"properties\": {…}}, was '%s'"
                                .formatted(schemaJson)));
    this.definition = new Tool(name, description, schemaJson);
    this.required = new ArrayList<>();
    for (JsonNode needed : schema.path("required")) {
      required.add(needed.asString());
    }
    this.function = function;
  }

  @Override
  public Tool definition() {
    return definition;
  }

  @Override
  public Result run(ToolCall call, SampleState state, SampleContext context)
      throws InterruptedException {
    try {
      ObjectNode given = CallJson.arguments(call);
      for (String name : required) {
        if (!given.has(name)) {
          throw new ToolException("`%s` is missing".formatted(name));
        }
      }
      Object result = function.call(CallJson.MAPPER.convertValue(given, VALUES));
      return result instanceof Result told ? told : Result.of(CallJson.text(result));
    } catch (ToolException told) {
      return told.result();
    }
  }
}

package dev.weir.log;

import dev.weir.log.json.JsonText;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;

/**
 * What a model was asked with, besides the conversation. Each part is JSON, as Inspect's logs have
 * it: most calls of a run share one of these, so that it is made once.
 *
 * @param config how the answer is to be made; an object
 * @param tools what the model may call; an array
 * @param toolChoice which of them it may, or must; a text, or an object with a name
 */
public record CallTerms(String config, String tools, String toolChoice) {

  /** Everything is left to the provider, and there are no tools. */
  public static final CallTerms NONE = new CallTerms("{}", "[]", "\"none\"");

  /**
   * A tool that a model is told of.
   *
   * @param parameters the JSON schema of its arguments
   */
  public record OfferedTool(String name, String description, String parameters) {}

  /**
   * @param config by Inspect's names, such as {@code stop_seqs}
   * @param toolChoice {@code auto}, {@code any}, {@code none}; or a map with the name of a tool
   */
  public static CallTerms of(
      Map<String, Object> config, List<OfferedTool> tools, Object toolChoice) {
    if (config.isEmpty() && tools.isEmpty()) {
      return NONE;
    }
    var offered = new JsonText();
    offered.list(
        "",
        tools,
        tool -> {
          offered.text("{\"name\":", tool.name());
          offered.text(",\"description\":", tool.description());
          String parameters = InspectSchemas.parameters(tool.parameters());
          offered.add(",\"parameters\":").add(parameters).add("}");
        });
    return new CallTerms(
        new JsonText().any("", config).toString(),
        offered.toString(),
        tools.isEmpty() ? NONE.toolChoice : new JsonText().any("", toolChoice).toString());
  }

  /** The schema of an answer, as far as Inspect's logs have a place for it. */
  public static Object schema(String jsonSchema) {
    return InspectSchemas.schema(jsonSchema);
  }

  /** What a JSON text says; the text itself, if it is none. */
  public static Object value(String json) {
    try {
      Object value = LogJson.LINES.readValue(json, Object.class);
      return value == null ? "null" : value;
    } catch (JacksonException malformed) {
      return json;
    }
  }
}

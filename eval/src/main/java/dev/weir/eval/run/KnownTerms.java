package dev.weir.eval.run;

import dev.weir.eval.option.Secrets;
import dev.weir.log.CallTerms;
import dev.weir.log.CallTerms.OfferedTool;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Request;
import dev.weir.model.Tool;
import dev.weir.model.ToolChoice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What models are asked with, as the log has it. A run asks with the same settings and tools over
 * and over: each is written once, and kept. Thread-safe.
 */
final class KnownTerms {

  /** A bound for memory: with more of them, keeping is no help. */
  private static final int MOST_KEPT = 256;

  private final Map<Asked, CallTerms> known = new ConcurrentHashMap<>();

  private final Secrets secrets;

  /**
   * @param secrets what no log has
   */
  KnownTerms(Secrets secrets) {
    this.secrets = secrets;
  }

  private record Asked(GenerationSettings settings, List<Tool> tools, ToolChoice choice) {}

  CallTerms request(Request request) {
    return terms(request.settings(), request.tools(), request.toolChoice());
  }

  /** A list of tools as JSON. */
  String tools(List<Tool> tools) {
    return terms(GenerationSettings.NONE, tools, new ToolChoice.Auto()).tools();
  }

  private CallTerms terms(GenerationSettings settings, List<Tool> tools, ToolChoice choice) {
    var asked = new Asked(settings, tools, choice);
    CallTerms kept = known.get(asked);
    if (kept != null) {
      return kept;
    }
    CallTerms made =
        CallTerms.of(
            config(settings),
            tools.stream()
                .map(tool -> new OfferedTool(tool.name(), tool.description(), tool.parameters()))
                .toList(),
            choice(choice));
    if (known.size() < MOST_KEPT) {
      known.put(asked, made);
    }
    return made;
  }

  private Map<String, Object> config(GenerationSettings settings) {
    Map<String, Object> config = new LinkedHashMap<>();
    settings.temperature().ifPresent(value -> config.put("temperature", value));
    settings.topP().ifPresent(value -> config.put("top_p", value));
    settings.maxTokens().ifPresent(value -> config.put("max_tokens", value));
    settings.seed().ifPresent(value -> config.put("seed", value));
    if (!settings.stop().isEmpty()) {
      config.put("stop_seqs", settings.stop());
    }
    settings.reasoningEffort().ifPresent(effort -> config.put("reasoning_effort", effort.word()));
    settings
        .responseSchema()
        .ifPresent(
            schema ->
                config.put(
                    "response_schema",
                    Map.of(
                        "name", schema.name(),
                        "json_schema", CallTerms.schema(schema.schema()),
                        "strict", schema.strict())));
    if (!settings.extraBody().isEmpty()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      settings.extraBody().forEach((name, json) -> fields.put(name, CallTerms.value(json)));
      config.put("extra_body", secrets.hiddenFields(fields));
    }
    return config;
  }

  static Object choice(ToolChoice choice) {
    return switch (choice) {
      case ToolChoice.Auto() -> "auto";
      case ToolChoice.None() -> "none";
      case ToolChoice.Required() -> "any";
      case ToolChoice.Named(String tool) -> Map.of("name", tool);
    };
  }
}

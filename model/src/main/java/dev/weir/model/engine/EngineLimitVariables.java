package dev.weir.model.engine;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.model.ConfigurationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads {@link EngineLimits} from the environment, in both forms that are in use:
 *
 * <pre>
 *   {"anthropic": {"claude-2.0": 5, "claude-2.1": 15}}
 *   {"anthropic": {"claude-2.1": {"concurrency": 15, "input_tokens": 40000}}}
 * </pre>
 *
 * <p>Limits are confidential and usually come from a vault. So no message repeats any part of a
 * value: it says where the mistake is, by line and column or by position.
 */
public final class EngineLimitVariables {

  /** All of them hold; of several limits the lowest. */
  public static final List<String> NAMES =
      List.of(
          "WEIR_MODEL_ENGINE_LIMITS",
          "AIGW_MODEL_ENGINE_LIMITS",
          "AIGW_MODEL_ENGINE_CONCURRENCY_LIMITS");

  private static final String FORM =
      "expected {\"engine\": {\"model\": 5}} or {\"engine\": {\"model\": {\"concurrency\": 5, …}}}";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private EngineLimitVariables() {}

  /**
   * @param environment an empty variable counts as unset
   * @throws ConfigurationException if one is malformed, without any part of its value
   */
  public static EngineLimits read(Map<String, String> environment) {
    EngineLimits limits = EngineLimits.NONE;
    for (String name : NAMES) {
      String value = environment.getOrDefault(name, "");
      if (!value.isBlank()) {
        limits = limits.lowest(parse(name, value));
      }
    }
    return limits;
  }

  private static EngineLimits parse(String variable, String value) {
    JsonNode root = json(variable, value);
    var reader = new EngineLimitReader(variable, FORM);
    reader.requireObject(root, "the value");
    Map<String, Engine> engines = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> engine : root.properties()) {
      String place = "engine " + (engines.size() + 1);
      reader.requireName(engine.getKey(), place);
      engines.put(engine.getKey(), new Engine(reader.models(engine.getValue(), place)));
    }
    return new EngineLimits(engines);
  }

  private static JsonNode json(String variable, String value) {
    try {
      return JSON.readTree(value);
    } catch (JacksonException broken) {
      TokenStreamLocation at = broken.getLocation();
      // Without its cause, whose message repeats what was read.
      throw malformed(
          variable,
          at == null || at.getLineNr() < 1
              ? "the value is not JSON, or has a key twice"
              : "the value is not JSON, or has a key twice (line %d, column %d)"
                  .formatted(at.getLineNr(), at.getColumnNr()));
    }
  }

  private static ConfigurationException malformed(String variable, String problem) {
    return new EngineLimitReader(variable, FORM).malformed(problem);
  }
}

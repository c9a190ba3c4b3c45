package dev.weir.model;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.RateCeiling;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
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

  private static final String CONCURRENCY = "concurrency";
  private static final String REQUESTS = "requests";
  private static final String INPUT_TOKENS = "input_tokens";
  private static final String OUTPUT_TOKENS = "output_tokens";
  private static final String TOTAL_TOKENS = "total_tokens";
  private static final List<String> KEYS =
      List.of(CONCURRENCY, REQUESTS, INPUT_TOKENS, OUTPUT_TOKENS, TOTAL_TOKENS);

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
    requireObject(root, variable, "the value");
    Map<String, Engine> engines = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> engine : root.properties()) {
      String place = "engine " + (engines.size() + 1);
      requireName(engine.getKey(), variable, place);
      requireObject(engine.getValue(), variable, place);
      Map<String, Ceiling> models = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> model : engine.getValue().properties()) {
        String where = "model %d of %s".formatted(models.size() + 1, place);
        requireName(model.getKey(), variable, where);
        models.put(model.getKey(), ceiling(model.getValue(), variable, where));
      }
      engines.put(engine.getKey(), new Engine(models));
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

  private static Ceiling ceiling(JsonNode limit, String variable, String where) {
    if (!limit.isObject()) {
      return new Ceiling(
          OptionalInt.of(whole(limit, variable, "the limit of " + where)), RateCeiling.NONE);
    }
    for (String key : limit.propertyNames()) {
      if (!KEYS.contains(key)) {
        throw malformed(
            variable,
            "%s has an unknown key; known are %s".formatted(where, String.join(", ", KEYS)));
      }
    }
    return new Ceiling(
        isAbsent(limit, CONCURRENCY)
            ? OptionalInt.empty()
            : OptionalInt.of(whole(limit.get(CONCURRENCY), variable, place(CONCURRENCY, where))),
        new RateCeiling(
            perMinute(limit, REQUESTS, variable, where),
            perMinute(limit, TOTAL_TOKENS, variable, where),
            perMinute(limit, INPUT_TOKENS, variable, where),
            perMinute(limit, OUTPUT_TOKENS, variable, where)));
  }

  private static OptionalDouble perMinute(
      JsonNode limit, String key, String variable, String where) {
    return isAbsent(limit, key)
        ? OptionalDouble.empty()
        : OptionalDouble.of(whole(limit.get(key), variable, place(key, where)));
  }

  private static boolean isAbsent(JsonNode limit, String key) {
    return limit.path(key).isMissingNode() || limit.path(key).isNull();
  }

  private static String place(String key, String where) {
    return "'%s' of %s".formatted(key, where);
  }

  private static int whole(JsonNode number, String variable, String where) {
    if (!number.isIntegralNumber() || !number.canConvertToInt() || number.intValue() < 1) {
      throw malformed(
          variable, "%s must be a whole number from 1 to %d".formatted(where, Integer.MAX_VALUE));
    }
    return number.intValue();
  }

  private static void requireObject(JsonNode node, String variable, String where) {
    if (!node.isObject()) {
      throw malformed(variable, where + " must be an object");
    }
  }

  private static void requireName(String name, String variable, String where) {
    if (name.isBlank()) {
      throw malformed(variable, where + " has no name");
    }
  }

  private static ConfigurationException malformed(String variable, String problem) {
    return new ConfigurationException("%s: %s; %s".formatted(variable, problem, FORM));
  }
}

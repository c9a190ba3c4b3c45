package dev.weir.model.engine;

import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.RateCeiling;
import dev.weir.model.ConfigurationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;

/**
 * Reads the limits of models, wherever they stand. Limits are confidential: a message says where
 * the mistake is, and repeats nothing that was read.
 *
 * @param source the variable or the file
 * @param form what was expected
 */
record EngineLimitReader(String source, String form) {

  private static final String CONCURRENCY = "concurrency";
  private static final String REQUESTS = "requests";
  private static final String INPUT_TOKENS = "input_tokens";
  private static final String OUTPUT_TOKENS = "output_tokens";
  private static final String TOTAL_TOKENS = "total_tokens";
  private static final List<String> KEYS =
      List.of(CONCURRENCY, REQUESTS, INPUT_TOKENS, OUTPUT_TOKENS, TOTAL_TOKENS);

  /** The models of one engine. */
  Map<String, Ceiling> models(JsonNode node, String place) {
    requireObject(node, place);
    Map<String, Ceiling> models = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> model : node.properties()) {
      String where = "model %d of %s".formatted(models.size() + 1, place);
      requireName(model.getKey(), where);
      models.put(model.getKey(), ceiling(model.getValue(), where));
    }
    return models;
  }

  private Ceiling ceiling(JsonNode limit, String where) {
    if (!limit.isObject()) {
      return new Ceiling(OptionalInt.of(whole(limit, "the limit of " + where)), RateCeiling.NONE);
    }
    for (String key : limit.propertyNames()) {
      if (!KEYS.contains(key)) {
        throw malformed(
            "%s has an unknown key; known are %s".formatted(where, String.join(", ", KEYS)));
      }
    }
    return new Ceiling(
        isAbsent(limit, CONCURRENCY)
            ? OptionalInt.empty()
            : OptionalInt.of(whole(limit.get(CONCURRENCY), place(CONCURRENCY, where))),
        new RateCeiling(
            perMinute(limit, REQUESTS, where),
            perMinute(limit, TOTAL_TOKENS, where),
            perMinute(limit, INPUT_TOKENS, where),
            perMinute(limit, OUTPUT_TOKENS, where)));
  }

  private OptionalDouble perMinute(JsonNode limit, String key, String where) {
    return isAbsent(limit, key)
        ? OptionalDouble.empty()
        : OptionalDouble.of(whole(limit.get(key), place(key, where)));
  }

  private static boolean isAbsent(JsonNode limit, String key) {
    return limit.path(key).isMissingNode() || limit.path(key).isNull();
  }

  private static String place(String key, String where) {
    return "'%s' of %s".formatted(key, where);
  }

  int whole(JsonNode number, String where) {
    if (!number.isIntegralNumber() || !number.canConvertToInt() || number.intValue() < 1) {
      throw malformed("%s must be a whole number from 1 to %d".formatted(where, Integer.MAX_VALUE));
    }
    return number.intValue();
  }

  void requireObject(JsonNode node, String where) {
    if (!node.isObject()) {
      throw malformed(where + " must be an object");
    }
  }

  void requireName(String name, String where) {
    if (name.isBlank()) {
      throw malformed(where + " has no name");
    }
  }

  ConfigurationException malformed(String problem) {
    return new ConfigurationException("%s: %s; %s".formatted(source, problem, form));
  }
}

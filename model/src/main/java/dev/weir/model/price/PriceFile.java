package dev.weir.model.price;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads prices. The form, in US dollars for a million tokens:
 *
 * <pre>{@code
 * {"prices": [{
 *   "models": ["openai/gpt-4o"],
 *   "input": 2.5, "cache_read": 1.25, "cache_write": 3, "output": 10,
 *   "long_prompts": {"above": 200000, "input": 5, "output": 15},
 *   "batch_factor": 0.5,
 *   "as_of": "2026-11-15", "source": "https://…", "note": "…"
 * }]}
 * }</pre>
 */
final class PriceFile {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private static final Set<String> RATES = Set.of("input", "cache_read", "cache_write", "output");

  private static final Set<String> KEYS =
      union(RATES, Set.of("models", "long_prompts", "batch_factor", "as_of", "source", "note"));

  private static final Set<String> LONG_KEYS = union(RATES, Set.of("above"));

  /** More is not a price, and would make sums slow. */
  private static final int MOST_DIGITS = 12;

  private PriceFile() {}

  /**
   * @param name what to call the file in errors
   * @throws ConfigurationException if it makes no sense
   */
  static Map<String, Price> read(String name, byte[] file) {
    JsonNode json;
    try {
      json = JSON.readTree(file);
    } catch (JacksonException malformed) {
      throw new ConfigurationException(
          "%s is not JSON: %s".formatted(name, malformed.getOriginalMessage()), malformed);
    }
    JsonNode entries = entries(name, json);
    Map<String, Price> prices = new LinkedHashMap<>();
    try {
      for (JsonNode entry : entries) {
        read(entry, prices);
      }
    } catch (JacksonException
        | DateTimeException
        | IllegalArgumentException
        | ConfigurationException wrong) {
      throw new ConfigurationException(
          "%s, entry %d of `prices`: %s"
              .formatted(name, prices.values().stream().distinct().count() + 1, message(wrong)),
          wrong);
    }
    return prices;
  }

  private static JsonNode entries(String name, JsonNode json) {
    try {
      requireKeys(json, Set.of("prices", "note"));
    } catch (IllegalArgumentException wrong) {
      throw new ConfigurationException("%s: %s".formatted(name, wrong.getMessage()), wrong);
    }
    JsonNode entries = json.path("prices");
    if (!entries.isArray()) {
      throw new ConfigurationException(
          "%s: `prices` must be a list, as in {\"prices\": [{\"models\": [\"openai/gpt-4o\"], …}]}, %s"
              .formatted(name, entries.isMissingNode() ? "and is missing" : "was " + entries));
    }
    return entries;
  }

  private static void read(JsonNode entry, Map<String, Price> prices) {
    requireKeys(entry, KEYS);
    Price price =
        new Price(
            rates(entry),
            entry.has("long_prompts") ? Optional.of(longPrompts(entry)) : Optional.empty(),
            number(entry, "batch_factor"),
            LocalDate.parse(text(entry, "as_of")),
            text(entry, "source"));
    for (String model : models(entry)) {
      if (prices.put(model, price) != null) {
        throw new IllegalArgumentException("'%s' is there twice".formatted(model));
      }
    }
  }

  private static List<String> models(JsonNode entry) {
    List<String> models = new ArrayList<>();
    for (JsonNode model : entry.path("models")) {
      // Checks the form.
      models.add(ModelName.parse(model.asString()).toString());
    }
    if (models.isEmpty()) {
      throw new IllegalArgumentException("`models` must be a list of names such as openai/gpt-4o");
    }
    return models;
  }

  private static Price.Rates rates(JsonNode json) {
    return new Price.Rates(
        required(json, "input"),
        number(json, "cache_read"),
        number(json, "cache_write"),
        required(json, "output"));
  }

  private static Price.LongPrompts longPrompts(JsonNode entry) {
    JsonNode json = entry.path("long_prompts");
    requireKeys(json, LONG_KEYS);
    return new Price.LongPrompts(json.path("above").asLong(0), rates(json));
  }

  private static BigDecimal required(JsonNode json, String key) {
    return number(json, key)
        .orElseThrow(() -> new IllegalArgumentException("`%s` is missing".formatted(key)));
  }

  private static Optional<BigDecimal> number(JsonNode json, String key) {
    JsonNode value = json.path(key);
    if (value.isMissingNode()) {
      return Optional.empty();
    }
    if (!value.isNumber()) {
      throw new IllegalArgumentException("`%s` must be a number, was %s".formatted(key, value));
    }
    BigDecimal number = value.decimalValue();
    if (number.precision() > MOST_DIGITS || Math.abs(number.scale()) > MOST_DIGITS) {
      throw new IllegalArgumentException(
          "`%s` must not have more than %d digits".formatted(key, MOST_DIGITS));
    }
    return Optional.of(number);
  }

  private static String text(JsonNode json, String key) {
    String text = json.path(key).asString("");
    if (text.isBlank()) {
      throw new IllegalArgumentException("`%s` is missing".formatted(key));
    }
    return text;
  }

  private static void requireKeys(JsonNode json, Set<String> known) {
    if (!json.isObject()) {
      throw new IllegalArgumentException("it must be an object");
    }
    for (String key : json.propertyNames()) {
      if (!known.contains(key)) {
        throw new IllegalArgumentException(
            "there is no key '%s'%s".formatted(key, Spelling.hint(key, known)));
      }
    }
  }

  private static String message(RuntimeException wrong) {
    return wrong instanceof JacksonException json
        ? json.getOriginalMessage()
        : String.valueOf(wrong.getMessage());
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(others);
    return all;
  }
}

package dev.weir.eval;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The model of a role as it is written: {@code openai/gpt-4o}, or {@code {"model": "openai/gpt-4o",
 * "model_args": {"api": "chat"}, "base_url": "http://127.0.0.1:8080/v1"}}.
 */
record RoleModel(ModelName name, Map<String, String> arguments, Optional<URI> baseUrl) {

  private static final List<String> KEYS = List.of("model", "model_args", "base_url");
  private static final JsonMapper JSON = new JsonMapper();

  static RoleModel parse(String role, String word) {
    if (!word.startsWith("{")) {
      return new RoleModel(ModelName.parse(word), Map.of(), Optional.empty());
    }
    try {
      JsonNode given = JSON.readTree(word);
      for (String key : given.propertyNames()) {
        if (!KEYS.contains(key)) {
          throw new ConfigurationException(
              "the role '%s': unknown key '%s'%s".formatted(role, key, Spelling.hint(key, KEYS)));
        }
      }
      Map<String, String> arguments = new LinkedHashMap<>();
      given
          .path("model_args")
          .properties()
          .forEach(
              argument ->
                  arguments.put(
                      argument.getKey(),
                      argument.getValue().isString()
                          ? argument.getValue().asString()
                          : argument.getValue().toString()));
      return new RoleModel(
          ModelName.parse(given.path("model").asString("")),
          arguments,
          Optional.ofNullable(given.get("base_url")).map(url -> URI.create(url.asString(""))));
    } catch (JacksonException | IllegalArgumentException malformed) {
      throw new ConfigurationException(
          "the role '%s' must be provider/model, or {\"model\": …, \"model_args\": {…}, \"base_url\":"
                  .formatted(role)
              + " …}",
          malformed);
    }
  }
}

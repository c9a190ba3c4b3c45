package dev.weir.eval.select;

import dev.weir.eval.Trials;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The models of a combination as options of a task, with those that were not chosen.
 *
 * @param given options of the selection, and of its task
 */
record ChosenModels(RunOptions given, Secrets secrets) {

  private static final JsonMapper JSON = new JsonMapper();

  /**
   * @param chosen by node, as candidates are written
   * @return by key: {@code model}, {@code model_args}, {@code model_base_url}, {@code model_role};
   *     without credentials
   */
  Map<String, Object> options(Map<String, String> chosen) {
    Map<String, Object> options = new LinkedHashMap<>();
    Map<String, Object> roles = new LinkedHashMap<>();
    if (given.model().size() == 1) {
      options.put("model", given.model().getFirst());
    }
    Map<String, String> arguments = new TreeMap<>(given.modelArguments());
    String url = given.models().modelBaseUrl().map(Object::toString).orElse("");
    new TreeMap<>(given.modelRoles()).forEach((role, word) -> roles.put(role, written(word)));
    for (Map.Entry<String, String> node : chosen.entrySet()) {
      if (!Trials.EVALUATED.contains(node.getKey())) {
        roles.put(node.getKey(), written(node.getValue()));
      } else if (node.getValue().startsWith("{")) {
        // Such a candidate says all of itself.
        JsonNode own = JSON.readTree(node.getValue());
        options.put("model", own.path("model").asString(""));
        arguments = arguments(own);
        url = own.path("base_url").asString("");
      } else {
        options.put("model", node.getValue());
      }
    }
    Map<String, String> shown = open(arguments);
    if (!shown.isEmpty()) {
      options.put("model_args", shown);
    }
    if (!url.isEmpty() && !Secrets.isHidden(secrets.hidden(url))) {
      options.put("model_base_url", url);
    }
    if (!roles.isEmpty()) {
      options.put("model_role", roles);
    }
    return options;
  }

  private Object written(String word) {
    if (!word.startsWith("{")) {
      return word;
    }
    JsonNode own = JSON.readTree(word);
    Map<String, Object> written = new LinkedHashMap<>();
    written.put("model", own.path("model").asString(""));
    Map<String, String> arguments = open(arguments(own));
    if (!arguments.isEmpty()) {
      written.put("model_args", arguments);
    }
    String url = own.path("base_url").asString("");
    if (!url.isEmpty() && !Secrets.isHidden(secrets.hidden(url))) {
      written.put("base_url", url);
    }
    return written;
  }

  private static Map<String, String> arguments(JsonNode model) {
    Map<String, String> arguments = new LinkedHashMap<>();
    model
        .path("model_args")
        .properties()
        .forEach(
            argument ->
                arguments.put(
                    argument.getKey(),
                    argument.getValue().isString()
                        ? argument.getValue().asString()
                        : argument.getValue().toString()));
    return arguments;
  }

  /** But for what may be a credential. */
  private Map<String, String> open(Map<String, String> arguments) {
    Map<String, String> open = secrets.hidden(arguments);
    open.values().removeIf(Secrets::isHidden);
    return open;
  }
}

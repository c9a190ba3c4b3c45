package dev.weir.eval.task;

import dev.weir.eval.option.Secrets;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * What stands in a task file for something else: {@code ${NAME}} and {@code ${NAME:-default}} for a
 * variable of the environment, {@code {{ name }}} for one of the task. {@code $${NAME}} stands for
 * itself. Not thread-safe.
 */
final class Substitution {

  private static final Pattern ENVIRONMENT =
      Pattern.compile("(\\$?)\\$\\{([A-Za-z_]\\w*)(?::-([^}]*))?}");
  private static final Pattern VARIABLE = Pattern.compile("\\{\\{\\s*([A-Za-z_]\\w*)\\s*}}");
  private static final Pattern TEMPLATE_MARK = Pattern.compile("\\{\\{|\\{%|\\{#");

  /** Words that may stand anywhere in a message; as values they are no secret. */
  private static final Pattern COMMON = Pattern.compile("[a-z]{1,8}|[\\d.]{1,8}|.{1,3}");

  private final Map<String, String> environment;
  private final Map<String, String> used = new LinkedHashMap<>();
  private Map<String, @Nullable Object> variables = Map.of();

  Substitution(Map<String, String> environment) {
    this.environment = environment;
  }

  void setVariables(Map<String, @Nullable Object> known) {
    variables = Collections.unmodifiableMap(new LinkedHashMap<>(known));
  }

  Map<String, @Nullable Object> variables() {
    return variables;
  }

  /** A text with the environment in it. */
  String environment(Node node, String text) {
    if (text.indexOf('$') < 0) {
      return text;
    }
    return ENVIRONMENT
        .matcher(text)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(
                    match.group(1).isEmpty()
                        ? value(node, match.group(2), match.group(3))
                        : match.group().substring(1)));
  }

  private String value(Node node, String name, @Nullable String otherwise) {
    String value = environment.getOrDefault(name, "");
    if (!value.isEmpty()) {
      used.put(name, value);
      return value;
    }
    if (otherwise == null) {
      throw YamlTree.problem(
          node,
          "the environment has no variable %s; set it, give a default as in ${%s:-default}, or"
                  .formatted(name, name)
              + " write $${%s} for the text itself".formatted(name));
    }
    return otherwise;
  }

  /** A text in which all variables must be known. */
  String all(Node node, String text) {
    return VARIABLE
        .matcher(text)
        .replaceAll(
            match -> {
              if (!variables.containsKey(match.group(1))) {
                throw YamlTree.problem(
                    node,
                    "there is no variable '%s'%s"
                        .formatted(
                            match.group(1), Spelling.hint(match.group(1), variables.keySet())));
              }
              return Matcher.quoteReplacement(text(node, match.group(1)));
            });
  }

  /**
   * A text that may be a template: what is no variable of the task, and values that would be read
   * as templates themselves, are left for whoever renders it.
   */
  String known(Node node, String text) {
    return VARIABLE
        .matcher(text)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(
                    isPlain(match.group(1)) ? text(node, match.group(1)) : match.group()));
  }

  private boolean isPlain(String name) {
    Object value = variables.get(name);
    return value != null
        && !(value instanceof List)
        && !(value instanceof Map)
        && !TEMPLATE_MARK.matcher(value.toString()).find();
  }

  private String text(Node node, String name) {
    Object value = variables.get(name);
    if (value instanceof List || value instanceof Map) {
      throw YamlTree.problem(
          node, "the variable '%s' is a list or mapping, which is no text".formatted(name));
    }
    return value == null ? "" : value.toString();
  }

  /** The variable that a text is nothing but, if it is one. */
  Optional<Object> whole(String text) {
    Matcher only = VARIABLE.matcher(text.strip());
    return only.matches() ? Optional.ofNullable(variables.get(only.group(1))) : Optional.empty();
  }

  /** What was put into texts so far, as far as it may be a credential. */
  Secrets secrets() {
    return Secrets.filledIn(used);
  }

  /** The same error without values of the environment, which may be credentials. */
  ConfigurationException hiding(ConfigurationException wrong) {
    String message = String.valueOf(wrong.getMessage());
    List<Map.Entry<String, String>> longestFirst =
        used.entrySet().stream()
            .sorted(Comparator.comparingInt(entry -> -entry.getValue().length()))
            .toList();
    String hidden = message;
    for (Map.Entry<String, String> entry : longestFirst) {
      String name = "${%s}".formatted(entry.getKey());
      hidden =
          COMMON.matcher(entry.getValue()).matches()
              ? hidden.replace("'" + entry.getValue() + "'", "'" + name + "'")
              : hidden.replace(entry.getValue(), name);
    }
    // Its causes may hold the value as well.
    return hidden.equals(message) ? wrong : new ConfigurationException(hidden);
  }
}

package dev.weir.cli;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A component with arguments in one word: {@code match}, {@code match:location=any,numeric=true},
 * {@code pattern:colour is (\w+)}, where a value that stands alone is the first argument. One that
 * looks like {@code key=value} itself needs its name: {@code pattern:pattern=x=(\d)}.
 *
 * @param option where it was given, for errors: {@code --scorer}
 */
record ComponentWord(String option, String name, String rest) {

  // A comma inside a value is part of it.
  private static final Pattern BEFORE_A_KEY = Pattern.compile(",(?=\\s*[A-Za-z_]\\w*\\s*=)");

  private static final Pattern KEYED = Pattern.compile("\\s*[A-Za-z_]\\w*\\s*=.*", Pattern.DOTALL);

  private static final JsonMapper JSON = new JsonMapper();

  static ComponentWord parse(String option, String word) {
    int colon = word.indexOf(':');
    return colon < 0
        ? new ComponentWord(option, word.strip(), "")
        : new ComponentWord(option, word.substring(0, colon).strip(), word.substring(colon + 1));
  }

  /** What was given by name. */
  Map<String, String> pairs() {
    Map<String, String> pairs = new LinkedHashMap<>();
    if (!rest.isBlank()) {
      for (String pair : BEFORE_A_KEY.split(rest, -1)) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
          throw wrong("must be of the form %s:key=value, was '%s'".formatted(name, pair));
        }
        pairs.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
      }
    }
    return pairs;
  }

  /** What it is given: of a text that stands alone, the first argument. */
  Map<String, Object> arguments(Component<?> component) {
    boolean standsAlone =
        !rest.isBlank() && !component.parameters().isEmpty() && !KEYED.matcher(rest).matches();
    Map<String, String> words =
        standsAlone ? Map.of(component.parameters().getFirst().name(), rest) : pairs();
    Map<String, Object> values = new LinkedHashMap<>();
    words.forEach((key, text) -> values.put(key, value(component, key, text)));
    return values;
  }

  /**
   * @throws ConfigurationException if the component cannot use the arguments
   */
  <T> T make(Component<T> component) {
    return component.make(
        new Arguments(
            arguments(component),
            Path.of(""),
            (key, rule) -> wrong("has '%s', whose `%s` %s".formatted(name, key, rule))));
  }

  private Object value(Component<?> component, String key, String text) {
    Parameter.Kind kind =
        component.parameters().stream()
            .filter(parameter -> parameter.name().equals(key))
            .map(Parameter::kind)
            .findFirst()
            .orElse(Parameter.Kind.TEXT);
    return switch (kind) {
      case TEXT, WHOLE, NUMBER, FLAG -> text;
      case TEXTS -> texts(text);
      case LIST -> text.startsWith("[") ? json(key, text) : texts(text);
      case MAPPING, ANY -> text.startsWith("{") ? json(key, text) : text;
    };
  }

  private static List<String> texts(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }

  private Object json(String key, String text) {
    try {
      return JSON.readValue(text, Object.class);
    } catch (JacksonException malformed) {
      throw wrong("has '%s', whose `%s` is not JSON".formatted(name, key));
    }
  }

  ConfigurationException wrong(String rule) {
    return new ConfigurationException(option + " " + rule);
  }
}

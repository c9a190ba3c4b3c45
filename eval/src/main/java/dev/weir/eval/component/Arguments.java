package dev.weir.eval.component;

import dev.weir.eval.template.Template;
import dev.weir.eval.template.TextPlace;
import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a component was given: text, numbers, booleans, lists and maps by name; and how to say where
 * that stands if it cannot be used. Immutable.
 */
public final class Arguments {

  /** Says where arguments stand that cannot be used. */
  @FunctionalInterface
  public interface Places {

    /**
     * Makes an error of a name and a rule, which completes the sentence that begins with the name.
     */
    ConfigurationException wrong(String name, String rule);

    /** Where a part of the text of an argument stands; empty if only the whole is known. */
    default Optional<String> placeOf(String name, String text, int offset) {
      return Optional.empty();
    }
  }

  private final Map<String, @Nullable Object> values;
  private final Path directory;
  private final Places places;
  private final Map<String, @Nullable Object> variables;

  /**
   * @param directory what relative paths start from
   * @param places says where arguments stand
   */
  public Arguments(Map<String, ? extends @Nullable Object> values, Path directory, Places places) {
    this(values, directory, places, Map.of());
  }

  /**
   * @param variables of the task, for templates
   */
  public Arguments(
      Map<String, ? extends @Nullable Object> values,
      Path directory,
      Places places,
      Map<String, ? extends @Nullable Object> variables) {
    this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    this.directory = directory;
    this.places = places;
    this.variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
  }

  /** Given by a program rather than a file. */
  public static Arguments of(Map<String, ? extends @Nullable Object> values) {
    return new Arguments(
        values,
        Path.of(""),
        (name, rule) -> new ConfigurationException("`%s` %s".formatted(name, rule)));
  }

  public Set<String> names() {
    return values.keySet();
  }

  public boolean has(String name) {
    return values.get(name) != null;
  }

  /** What was given, as it is. */
  public Optional<Object> value(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** Numbers and booleans are text, too. */
  public Optional<String> text(String name) {
    return value(name)
        .map(
            given -> {
              if (given instanceof List || given instanceof Map) {
                throw wrong(name, "must be text");
              }
              return given.toString();
            });
  }

  /** A text with variables in it; those of the task are known to it. */
  public Optional<Template> template(String name) {
    return text(name).map(text -> template(name, text));
  }

  /**
   * A template that this argument says, such as the text of a file that it names.
   *
   * @throws ConfigurationException if it is none, with where the argument stands
   */
  public Template template(String name, String text) {
    // An error without a rule is the place of the argument.
    String place = String.valueOf(wrong(name, "").getMessage()).strip();
    return Template.of(text, new TextPlace(place, offset -> places.placeOf(name, text, offset)))
        .with(variables);
  }

  public Optional<Integer> whole(String name, int least) {
    return text(name)
        .map(
            text -> {
              try {
                int number = Integer.parseInt(text);
                if (number >= least) {
                  return number;
                }
              } catch (NumberFormatException notANumber) {
                // Reported below, like a number out of range.
              }
              throw wrong(
                  name, "must be a whole number, at least %s, was '%s'".formatted(least, text));
            });
  }

  public Optional<Double> number(String name, double least, double most) {
    return text(name)
        .map(
            text -> {
              try {
                double number = Double.parseDouble(text);
                if (number >= least && number <= most) {
                  return number;
                }
              } catch (NumberFormatException notANumber) {
                // Reported below, like a number out of range.
              }
              throw wrong(
                  name, "must be a number from %s to %s, was '%s'".formatted(least, most, text));
            });
  }

  public Optional<Boolean> flag(String name) {
    return text(name)
        .map(
            text ->
                switch (text) {
                  case "true" -> true;
                  case "false" -> false;
                  default -> throw wrong(name, "must be true or false, was '%s'".formatted(text));
                });
  }

  /** A list of texts; one that stands alone is a list of one. Empty if nothing was given. */
  public List<String> texts(String name) {
    Object given = values.get(name);
    if (given == null) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (Object item : given instanceof List<?> list ? list : List.of(given)) {
      if (item == null || item instanceof List || item instanceof Map) {
        throw wrong(name, "must be a text or a list of texts");
      }
      texts.add(item.toString());
    }
    return texts;
  }

  /** A mapping; empty if nothing was given. */
  public Map<String, Object> mapping(String name) {
    Object given = values.get(name);
    if (given == null) {
      return Map.of();
    }
    if (!(given instanceof Map<?, ?> map)) {
      throw wrong(name, "must be a mapping (key: value)");
    }
    Map<String, Object> mapping = new LinkedHashMap<>();
    map.forEach((key, value) -> mapping.put(String.valueOf(key), value == null ? "" : value));
    return mapping;
  }

  /** A file that was named, relative to the task. */
  public Optional<Path> path(String name) {
    return text(name).map(text -> directory.resolve(text).normalize());
  }

  /** What relative paths start from. */
  public Path directory() {
    return directory;
  }

  /**
   * @param rule completes the sentence that begins with the argument
   */
  public ConfigurationException wrong(String name, String rule) {
    return places.wrong(name, rule);
  }
}

package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What the user gave a model with {@code -M key=value}. */
public final class Arguments {

  private final ModelName model;
  private final Map<String, String> given;

  private Arguments(ModelName model, Map<String, String> given) {
    this.model = model;
    this.given = given;
  }

  /**
   * @param known all that the model takes
   * @throws ConfigurationException if another one is given, with the nearest name
   */
  public static Arguments of(ModelName model, Map<String, String> given, List<String> known) {
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw new ConfigurationException(
            "model '%s' has no argument '%s'%s".formatted(model, name, Spelling.hint(name, known)));
      }
    }
    return new Arguments(model, Map.copyOf(given));
  }

  public Optional<String> text(String name) {
    return Optional.ofNullable(given.get(name)).filter(value -> !value.isBlank());
  }

  public boolean flag(String name, boolean otherwise) {
    return switch (given.get(name)) {
      case null -> otherwise;
      case "true" -> true;
      case "false" -> false;
      case String other -> throw wrong(name, "true or false", other);
    };
  }

  /** A whole number of at least {@code least}. */
  public OptionalInt whole(String name, int least) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    try {
      int value = Integer.parseInt(text.get());
      if (value >= least) {
        return OptionalInt.of(value);
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number that is too small.
    }
    throw wrong(name, "a whole number of at least " + least, text.get());
  }

  public Optional<Duration> duration(String name) {
    return text(name)
        .map(
            text ->
                DurationText.parse(text, "s")
                    .orElseThrow(() -> wrong(name, DurationText.RULE, text)));
  }

  /** One of some words. */
  public Optional<String> choice(String name, List<String> words) {
    Optional<String> text = text(name);
    if (text.isPresent() && !words.contains(text.get())) {
      throw wrong(name, "one of " + String.join(", ", words), text.get());
    }
    return text;
  }

  public ConfigurationException wrong(String name, String rule, String was) {
    return new ConfigurationException(
        "model '%s': `%s` must be %s, was '%s'".formatted(model, name, rule, was));
  }
}

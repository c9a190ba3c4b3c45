package dev.weir.cli;

import dev.weir.eval.task.OptionWords;
import dev.weir.model.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The words of options that are read in one place for all sources. Filled by picocli. */
abstract class GivenWords {

  private final Map<String, String> given = new HashMap<>();

  final void give(String option, String word) {
    given.put(option, word);
  }

  /** What was given; or else the variables, where an empty one counts as unset. */
  final OptionWords words(Map<String, String> environment) {
    return new OptionWords() {
      @Override
      public Optional<String> word(String option) {
        return Optional.ofNullable(given.get(option))
            .or(
                () ->
                    Optional.ofNullable(environment.get(variable(option)))
                        .filter(word -> !word.isEmpty()));
      }

      @Override
      public ConfigurationException wrong(String option, String rule) {
        String where = given.containsKey(option) ? "--" + option : variable(option);
        return new ConfigurationException(where + " " + rule);
      }
    };
  }

  private static String variable(String option) {
    return "WEIR_" + option.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}

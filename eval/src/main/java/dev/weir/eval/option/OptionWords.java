package dev.weir.eval.option;

import dev.weir.model.ConfigurationException;
import java.util.Optional;

/** Where options are read from: the command line with the environment, or a task file. */
public interface OptionWords {

  /** Nothing is given. */
  OptionWords NONE =
      new OptionWords() {
        @Override
        public Optional<String> word(String option) {
          return Optional.empty();
        }

        @Override
        public ConfigurationException wrong(String option, String rule) {
          return new ConfigurationException("`%s` %s".formatted(option, rule));
        }
      };

  /** What was given for an option, by its name on the command line. */
  Optional<String> word(String option);

  /**
   * @param rule completes the sentence that begins with the option
   */
  ConfigurationException wrong(String option, String rule);
}

package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * Options from the environment: WEIR_LOG_DIR for --log-dir.
 *
 * <p>Not given to picocli as defaults, because it reads them even for --help, drops them as a whole
 * where an option may be repeated, and inverts a flag whose default is true.
 */
record Environment(Map<String, String> variables) {

  /** What was given; or else the variable's value, where an empty one counts as unset. */
  <T> Optional<T> orElse(@Nullable T given, String variable, Function<String, T> conversion) {
    if (given != null) {
      return Optional.of(given);
    }
    String word = variables.getOrDefault(variable, "");
    if (word.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(conversion.apply(word));
    } catch (TypeConversionException wrong) {
      throw new ConfigurationException(variable + " " + wrong.getMessage(), wrong);
    }
  }

  boolean flag(@Nullable Boolean given, String variable) {
    return orElse(given, variable, Values::flag).orElse(false);
  }
}

package dev.weir.eval.metric;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** The arguments of a metric, as a file or the command line gives them: values or their words. */
record Arguments(String metric, Map<String, Object> given) {

  /** Refuses arguments that the metric does not have. */
  void requireKnown(List<String> known) {
    for (String argument : given.keySet()) {
      if (!known.contains(argument)) {
        String hint = known.isEmpty() ? "; it has no arguments" : Spelling.hint(argument, known);
        throw wrong("unknown argument '%s'%s".formatted(Printable.line(argument), hint));
      }
    }
  }

  Optional<Object> value(String argument) {
    return Optional.ofNullable(given.get(argument));
  }

  Optional<String> word(String argument) {
    return value(argument)
        .map(
            value -> {
              String word = value.toString();
              if (word.isBlank() || value instanceof Map || value instanceof Iterable) {
                throw mustBe(argument, "a word");
              }
              return word;
            });
  }

  <T> T required(String argument, Optional<T> value, String example) {
    return value.orElseThrow(
        () -> wrong("`%s` is missing, such as %s: %s".formatted(argument, argument, example)));
  }

  long whole(String argument, long least, long most, long otherwise) {
    Optional<String> word = word(argument);
    if (word.isEmpty()) {
      return otherwise;
    }
    String rule =
        least == Long.MIN_VALUE
            ? "a whole number of at most 64 bits"
            : most >= Integer.MAX_VALUE
                ? "a whole number, at least " + least
                : "a whole number from %s to %s".formatted(least, most);
    try {
      long value = Long.parseLong(word.get());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, as for a number out of range.
    }
    throw mustBe(argument, rule);
  }

  /** A number between 0 and 1, neither of them included. */
  OptionalDouble share(String argument) {
    Optional<String> word = word(argument);
    if (word.isEmpty()) {
      return OptionalDouble.empty();
    }
    try {
      double value = Double.parseDouble(word.get());
      if (value > 0 && value < 1) {
        return OptionalDouble.of(value);
      }
    } catch (NumberFormatException notANumber) {
      // Said below, as for a number out of range.
    }
    throw mustBe(argument, "a number between 0 and 1, such as 0.95");
  }

  ConfigurationException mustBe(String argument, String rule) {
    return wrong(
        "`%s` must be %s, was '%s'"
            .formatted(argument, rule, Printable.line(String.valueOf(given.get(argument)))));
  }

  private ConfigurationException wrong(String what) {
    return new ConfigurationException("metric '%s': %s".formatted(metric, what));
  }
}

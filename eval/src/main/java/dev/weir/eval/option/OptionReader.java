package dev.weir.eval.option;

import dev.weir.model.DurationText;
import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Makes values of the words that options are given as, the same for all sources. */
record OptionReader(OptionWords words) {

  Optional<Boolean> flag(String option) {
    return read(
        option,
        word ->
            switch (word) {
              case "true" -> Optional.of(true);
              case "false" -> Optional.of(false);
              default -> Optional.empty();
            },
        "true or false");
  }

  Optional<Integer> whole(String option, int least) {
    return read(
        option,
        word -> {
          try {
            return Optional.of(Integer.parseInt(word)).filter(value -> value >= least);
          } catch (NumberFormatException notANumber) {
            return Optional.empty();
          }
        },
        wholeRule(option, least));
  }

  /** The bound above is of interest only where it is exceeded. */
  String wholeRule(String option, int least) {
    boolean isTooLarge = words.word(option).filter(word -> word.matches("\\d{10,}")).isPresent();
    return isTooLarge
        ? "a whole number from %s to %s".formatted(least, Integer.MAX_VALUE)
        : "a whole number, at least " + least;
  }

  Optional<Double> number(String option, double least, double most, String rule) {
    return read(
        option,
        word -> {
          try {
            return Optional.of(Double.parseDouble(word))
                .filter(value -> value >= least && value <= most);
          } catch (NumberFormatException notANumber) {
            return Optional.empty();
          }
        },
        rule);
  }

  Optional<Duration> duration(String option, String unit, Duration least) {
    return read(
        option,
        word -> DurationText.parse(word, unit).filter(duration -> duration.compareTo(least) >= 0),
        least.isZero() ? DurationText.RULE : DurationText.RULE + ", more than 0");
  }

  /** Texts, separated by commas, or a JSON list; empty if nothing was given. */
  List<String> texts(String option) {
    return read(option, Texts::parse, "texts, separated by commas").orElse(List.of());
  }

  /** Empty if nothing was given. */
  Map<String, String> pairs(String option) {
    return read(option, Pairs::parse, Pairs.RULE).orElse(Map.of());
  }

  Optional<Path> path(String option) {
    return read(
        option,
        word -> {
          try {
            return Optional.of(Path.of(word)).filter(_ -> !word.isBlank());
          } catch (InvalidPathException malformed) {
            return Optional.empty();
          }
        },
        "a path");
  }

  Optional<BigDecimal> dollars(String option) {
    return read(
        option,
        word -> {
          try {
            return Optional.of(new BigDecimal(word.startsWith("$") ? word.substring(1) : word))
                .filter(amount -> amount.signum() > 0);
          } catch (NumberFormatException notANumber) {
            return Optional.empty();
          }
        },
        "an amount in US dollars such as 2.50");
  }

  <T> Optional<T> choice(String option, List<T> values, Function<T, String> word) {
    return read(
        option,
        given -> values.stream().filter(value -> word.apply(value).equals(given)).findFirst(),
        "one of " + String.join(", ", values.stream().map(word).toList()));
  }

  <T> Optional<T> read(String option, Function<String, Optional<T>> conversion, String rule) {
    return read(option, conversion, rule, word -> word);
  }

  /**
   * @param shown what of a word may be seen in an error
   */
  <T> Optional<T> read(
      String option,
      Function<String, Optional<T>> conversion,
      String rule,
      UnaryOperator<String> shown) {
    return words
        .word(option)
        .map(
            word ->
                conversion
                    .apply(word)
                    .orElseThrow(
                        () ->
                            words.wrong(
                                option,
                                "must be %s, was '%s'".formatted(rule, shown.apply(word)))));
  }
}

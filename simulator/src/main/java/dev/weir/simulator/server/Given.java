package dev.weir.simulator.server;

import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import dev.weir.model.Spelling;
import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.regex.Pattern;

/**
 * A word that was given for a setting, and the values that can be made of it.
 *
 * @param origin who gave it, for people: {@code --rpm}, {@code WEIR_RPM}, {@code profile x, rpm}
 */
public record Given(String origin, String word) {

  /** Unlike elsewhere a unit is needed: 1:2 would say nothing. */
  private static final Pattern DURATION = Pattern.compile("\\d[\\d.]*(ms|s|m|h)");

  /** Longer than any run, and short enough for every sum of durations. */
  private static final Duration LONGEST = Duration.ofDays(7);

  private static final double LARGEST = 1e12;

  /** The parts of the word, of which there are at least so many and at most so many. */
  List<Given> split(String separator, int least, int most, String form) {
    String[] parts = word.split(Pattern.quote(separator), -1);
    if (parts.length < least || parts.length > most) {
      throw wrong("must be of the form " + form);
    }
    return List.of(parts).stream().map(part -> new Given(origin, part.strip())).toList();
  }

  double positive() {
    return number(value -> value > 0, "a number above 0");
  }

  double notNegative() {
    return number(value -> value >= 0, "a number of at least 0");
  }

  double rate() {
    return number(value -> value >= 0 && value <= 1, "a number from 0 to 1");
  }

  double atLeast(double least) {
    return number(value -> value >= least, "a number of at least " + plain(least));
  }

  int count() {
    return (int)
        number(
            value -> value >= 1 && value <= Integer.MAX_VALUE && value == Math.rint(value),
            "a whole number from 1 to " + Integer.MAX_VALUE);
  }

  long whole() {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException notANumber) {
      throw wrong("must be a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE);
    }
  }

  Duration duration() {
    if (word.equals("0")) {
      return Duration.ZERO;
    }
    Duration duration =
        (isDuration() ? DurationText.parse(word, "s") : Optional.<Duration>empty())
            .orElseThrow(() -> wrong("must be " + DurationText.RULE));
    if (duration.compareTo(LONGEST) > 0) {
      throw wrong("must be at most " + LONGEST.toHours() + "h");
    }
    return duration;
  }

  boolean isDuration() {
    return word.equals("0") || DURATION.matcher(word).matches();
  }

  /** One of the known words. */
  String oneOf(Collection<String> known) {
    if (!known.contains(word)) {
      throw new ConfigurationException(
          "%s does not know '%s'%s".formatted(origin, word, Spelling.hint(word, known)));
    }
    return word;
  }

  Path path() {
    try {
      if (!word.isBlank()) {
        return Path.of(word);
      }
    } catch (InvalidPathException malformed) {
      // Reported below, like one that is empty.
    }
    throw wrong("must be a path");
  }

  String text() {
    if (word.isBlank()) {
      throw new ConfigurationException(origin + " must not be empty");
    }
    return word;
  }

  ConfigurationException wrong(String rule) {
    return new ConfigurationException("%s %s, was '%s'".formatted(origin, rule, word));
  }

  private double number(DoublePredicate allowed, String rule) {
    try {
      double value = Double.parseDouble(word);
      if (allowed.test(value) && value <= LARGEST) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw wrong("must be " + rule);
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }
}

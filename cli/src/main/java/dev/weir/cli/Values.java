package dev.weir.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * Makes values of the words that are given on the command line and in the environment.
 *
 * <p>Each throws a {@link TypeConversionException} whose message completes the sentence that begins
 * with the name of the option or variable.
 */
final class Values {

  private Values() {}

  static String text(String word) {
    return word;
  }

  static int count(String word) {
    try {
      int value = Integer.parseInt(word);
      if (value >= 1) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw wrong("must be a whole number, at least 1", word);
  }

  static long whole(String word) {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException notANumber) {
      throw wrong("must be a whole number of at most 64 bits", word);
    }
  }

  static boolean flag(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes" -> true;
      case "false", "0", "no" -> false;
      default -> throw wrong("must be true or false", word);
    };
  }

  /** An empty path would quietly mean the current directory. */
  static Path path(String word) {
    if (word.isBlank()) {
      throw new TypeConversionException("must not be empty; give a path");
    }
    try {
      return Path.of(word);
    } catch (InvalidPathException malformed) {
      throw wrong("must be a path", word);
    }
  }

  /** Of several in one word; a comma inside a value is part of it. */
  private static final Pattern BEFORE_A_KEY = Pattern.compile(",(?=\\s*[A-Za-z_][\\w.-]*\\s*=)");

  /** Of a key that is given twice, the last value holds. */
  static Map<String, String> arguments(List<String> words) {
    Map<String, String> arguments = new LinkedHashMap<>();
    for (String word : words.stream().flatMap(BEFORE_A_KEY::splitAsStream).toList()) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw wrong("must be of the form key=value, for example accuracy=0.6", word);
      }
      arguments.put(word.substring(0, equals).strip(), word.substring(equals + 1).strip());
    }
    return arguments;
  }

  private static TypeConversionException wrong(String rule, String word) {
    return new TypeConversionException("%s, was '%s'".formatted(rule, word));
  }
}

package dev.weir.eval.sample;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Usage;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many tokens may be used, and which of them count: {@code 500k} of all, {@code output:1m} of
 * those written, {@code (input*0.1)+output:1m} of a sum. {@code input} includes what the provider
 * had in its cache, {@code output} what was thought. The suffixes are thousands, millions and
 * billions.
 *
 * @param formula which tokens count; empty for all
 * @param inputWeight what a token of the input counts
 * @param outputWeight what a token of the output counts
 */
public record TokenLimit(String formula, double inputWeight, double outputWeight, long limit) {

  public static final String RULE =
      "a number of tokens such as 500k, output:1m or (input*0.1)+output:1m";

  private static final Pattern LIMIT = Pattern.compile("(?:(?<formula>.*):)?(?<number>[^:]+)");
  private static final Pattern NUMBER = Pattern.compile("(\\d+(?:\\.\\d+)?)([kmb]?)");

  // One term: a weight before or behind, parentheses around it or not.
  private static final Pattern TERM =
      Pattern.compile(
          "\\(?(?:(?<before>\\d+(?:\\.\\d+)?)\\*)?(?<what>input|output|total)(?:\\*(?<behind>\\d+(?:\\.\\d+)?))?\\)?");

  /** All tokens. */
  public static TokenLimit of(long limit) {
    return new TokenLimit("", 1, 1, limit);
  }

  /**
   * @throws ConfigurationException if it is no such limit
   */
  public static TokenLimit parse(String text) {
    return tryParse(text)
        .orElseThrow(
            () -> new ConfigurationException("must be %s, was '%s'".formatted(RULE, text)));
  }

  public static Optional<TokenLimit> tryParse(String text) {
    Matcher parts = LIMIT.matcher(text.replaceAll("\\s", "").toLowerCase(Locale.ROOT));
    if (!parts.matches()) {
      return Optional.empty();
    }
    Matcher number = NUMBER.matcher(parts.group("number"));
    if (!number.matches()) {
      return Optional.empty();
    }
    double factor =
        switch (String.valueOf(number.group(2))) {
          case "k" -> 1e3;
          case "m" -> 1e6;
          case "b" -> 1e9;
          default -> 1;
        };
    double limit = Double.parseDouble(String.valueOf(number.group(1))) * factor;
    if (!(limit >= 1 && limit <= 1e15)) {
      return Optional.empty();
    }
    String formula = parts.group("formula");
    return formula == null ? Optional.of(of((long) limit)) : weighted(formula, (long) limit);
  }

  private static Optional<TokenLimit> weighted(String formula, long limit) {
    double input = 0;
    double output = 0;
    for (String term : formula.split("\\+", -1)) {
      Matcher part = TERM.matcher(term);
      if (!part.matches()) {
        return Optional.empty();
      }
      double weight = weight(part.group("before")) * weight(part.group("behind"));
      switch (String.valueOf(part.group("what"))) {
        case "input" -> input += weight;
        case "output" -> output += weight;
        default -> {
          input += weight;
          output += weight;
        }
      }
    }
    return Optional.of(new TokenLimit(formula, input, output, limit));
  }

  private static double weight(@org.jspecify.annotations.Nullable String number) {
    return number == null ? 1 : Double.parseDouble(number);
  }

  /** How many of the tokens count, rounded down. */
  public long counted(Usage usage) {
    return (long)
        Math.floor(inputWeight * usage.inputTokens() + outputWeight * usage.outputTokens());
  }
}

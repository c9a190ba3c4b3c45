package dev.weir.junit;

import dev.weir.model.ConfigurationException;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a metric must be: {@code accuracy >= 0.8}.
 *
 * @param sign one of {@code >=}, {@code >}, {@code <=} and {@code <}
 */
record Threshold(String metric, String sign, double value) {

  private static final Pattern FORM =
      Pattern.compile("\\s*([^<>=]+?)\\s*(>=|<=|>|<|=)\\s*(\\S+)\\s*");

  /**
   * @throws ConfigurationException if it has another form
   */
  static Threshold parse(String text) {
    Matcher form = FORM.matcher(text);
    try {
      if (form.matches()) {
        String sign = form.group(2).equals("=") ? ">=" : form.group(2);
        return new Threshold(form.group(1), sign, Double.parseDouble(form.group(3)));
      }
    } catch (NumberFormatException notANumber) {
      // Told below, like any other form.
    }
    throw new ConfigurationException(
        "`threshold` of @Evaluation must be of the form 'accuracy >= 0.8', was '%s'"
            .formatted(text));
  }

  /** Why it does not hold, if it does not. */
  Optional<String> problem(Map<String, Double> metrics) {
    Double actual = metrics.get(metric);
    if (actual == null) {
      return Optional.of(
          "there is no metric '%s' to be %s %s; there are: %s"
              .formatted(metric, sign, number(value), String.join(", ", metrics.keySet())));
    }
    return holds(actual)
        ? Optional.empty()
        : Optional.of(
            "%s is %s, and must be %s %s".formatted(metric, number(actual), sign, number(value)));
  }

  private boolean holds(double actual) {
    return switch (sign) {
      case ">=" -> actual >= value;
      case ">" -> actual > value;
      case "<=" -> actual <= value;
      default -> actual < value;
    };
  }

  /** Whether high scores are bad. */
  boolean isUpperBound() {
    return sign.startsWith("<");
  }

  /** All digits: rounded, a number that misses its threshold could look as if it met it. */
  static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}

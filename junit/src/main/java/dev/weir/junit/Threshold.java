package dev.weir.junit;

import dev.weir.eval.ThresholdMetrics;
import dev.weir.model.ConfigurationException;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a metric must be: {@code accuracy >= 0.8}.
 *
 * @param sign one of {@code >=}, {@code >}, {@code <=} and {@code <}
 */
record Threshold(String metric, String sign, double value) {

  /** Names of groups may have signs in them, so the last one counts: {@code mean[k=a] >= 1}. */
  private static final Pattern FORM =
      Pattern.compile("\\s*(.*[^<>=\\s])\\s*(>=|<=|>|<|=)\\s*([^<>=\\s]+)\\s*", Pattern.DOTALL);

  /**
   * @throws ConfigurationException if it has another form
   */
  static Threshold parse(String text) {
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      Optional<Double> value = finite(form.group(3));
      if (value.isPresent()) {
        String sign = form.group(2).equals("=") ? ">=" : form.group(2);
        return new Threshold(form.group(1), sign, value.get());
      }
    }
    throw new ConfigurationException(
        "`threshold` of @Evaluation must be of the form 'accuracy >= 0.8', was '%s'"
            .formatted(text));
  }

  /** Nothing can be compared with what is not a number, and nothing reaches infinity. */
  private static Optional<Double> finite(String word) {
    try {
      return Optional.of(Double.parseDouble(word)).filter(Double::isFinite);
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  /** Why it does not hold, if it does not. */
  Optional<String> problem(EvaluationResult result) {
    Double actual = result.metrics().get(metric);
    if (actual == null) {
      return Optional.of(ThresholdMetrics.missing(metric, result.run()));
    }
    return problem(actual);
  }

  /** Why it does not hold of a number, if it does not. */
  Optional<String> problem(double actual) {
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
    if (!Double.isFinite(value)) {
      return String.valueOf(value);
    }
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}

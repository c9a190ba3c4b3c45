package dev.weir.eval.scorer;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds numbers in text: {@code 42}, {@code -3.5}, {@code 1,234,567.8}, {@code .5}, {@code 6e23}. A
 * currency sign before them and a percent sign behind them are not looked at: {@code 12%} is 12.
 */
final class Numbers {

  /** Longer ones are no answers, and would take long to read. */
  private static final int MOST_DIGITS = 400;

  /** A sign, a currency, a point. */
  private static final int MOST_BEFORE_DIGITS = 3;

  // A minus between two words or numbers is no sign: 2024-11-05, GPT-4.
  private static final String SIGN = "(?:(?<![\\w.)])[-+\u2212])?";

  // A comma, also as LaTeX has it, or a space that does not break.
  private static final String SEPARATOR = "(?:,|\\{,\\}|,\\\\!|[\u00A0\u2009\u202F])";

  private static final String TIMES_TEN = "\\s?(?:×|⋅|\\*|\\\\times|\\\\cdot)\\s?10\\s?\\^";

  private static final String EXPONENT =
      "(?:[eE]|%s\\s?\\{?)[-+\u2212]?\\d{1,3}(?!\\d)\\}?".formatted(TIMES_TEN);

  private static final String UNSIGNED =
      "(?:\\d{1,3}(?:%1$s\\d{3})++(?!\\d|,\\d)|\\d++)(?:\\.\\d++)?(?:%2$s)?|\\.\\d++(?:%2$s)?"
          .formatted(SEPARATOR, EXPONENT);

  private static final Pattern NUMBER =
      Pattern.compile("(%s)[$€£¥]?(?<![A-Za-z_])(%s)".formatted(SIGN, UNSIGNED));

  private static final Pattern ALONE =
      Pattern.compile("[\\s$€£¥]*([-+\u2212]?)[\\s$€£¥]*(%s)[\\s%%.]*".formatted(UNSIGNED));

  private static final Pattern TIMES_TEN_TO = Pattern.compile(TIMES_TEN);

  private Numbers() {}

  /** All of them, in order. */
  static List<BigDecimal> in(String text) {
    List<BigDecimal> numbers = new ArrayList<>();
    Matcher matcher = NUMBER.matcher(text);
    int end = 0;
    // Trying the pattern at each letter of a long answer would take far longer.
    for (int digit = nextDigit(text, 0); digit < text.length(); digit = nextDigit(text, end)) {
      if (!matcher.find(Math.max(end, digit - MOST_BEFORE_DIGITS))) {
        break;
      }
      end = matcher.end();
      number(matcher).ifPresent(numbers::add);
    }
    return numbers;
  }

  private static int nextDigit(String text, int from) {
    int at = from;
    while (at < text.length() && (text.charAt(at) < '0' || text.charAt(at) > '9')) {
      at++;
    }
    return at;
  }

  /** The text as a whole, if it is one. */
  static Optional<BigDecimal> parse(String text) {
    Matcher matcher = ALONE.matcher(text);
    return matcher.matches() ? number(matcher) : Optional.empty();
  }

  /** Those that a location asks for. */
  static List<BigDecimal> at(Location location, String text) {
    if (location == Location.EXACT) {
      return parse(text).map(List::of).orElse(List.of());
    }
    List<BigDecimal> all = in(text);
    if (all.isEmpty()) {
      return all;
    }
    return switch (location) {
      case BEGIN -> List.of(all.getFirst());
      case END -> List.of(all.getLast());
      case ANY, EXACT -> all;
    };
  }

  /** As Java reads it: 6.02 × 10^{23} becomes 6.02e23. */
  private static String plain(String number) {
    return TIMES_TEN_TO
        .matcher(number)
        .replaceAll("e")
        .replace('\u2212', '-')
        .replaceAll("[^0-9eE.+-]", "");
  }

  private static Optional<BigDecimal> number(Matcher matcher) {
    String digits = plain(String.valueOf(matcher.group(2)));
    if (digits.length() > MOST_DIGITS) {
      return Optional.empty();
    }
    String sign = String.valueOf(matcher.group(1));
    var number = new BigDecimal(digits);
    return Optional.of(sign.isEmpty() || sign.equals("+") ? number : number.negate());
  }
}

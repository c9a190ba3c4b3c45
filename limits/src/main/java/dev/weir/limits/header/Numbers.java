package dev.weir.limits.header;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalDouble;

/** Reads plain decimal numbers; signs, exponents, NaN and the like are absent. */
final class Numbers {

  /** Longer ones are no counts or times, and would make arithmetic slow. */
  private static final int MAX_LENGTH = 24;

  /** Servers write numbers such as 2^63 - 1 for "no limit". */
  private static final double LARGEST_COUNT = 1e15;

  private Numbers() {}

  static boolean isDigit(char character) {
    return character >= '0' && character <= '9';
  }

  /** The number that is the whole text, apart from blanks around it. */
  static Optional<BigDecimal> decimal(String text) {
    String number = text.strip();
    if (number.isEmpty() || number.length() > MAX_LENGTH || !isDigit(number.charAt(0))) {
      return Optional.empty();
    }
    int points = 0;
    for (int i = 0; i < number.length(); i++) {
      char character = number.charAt(i);
      if (character == '.') {
        points++;
      } else if (!isDigit(character)) {
        return Optional.empty();
      }
    }
    return points <= 1 ? Optional.of(new BigDecimal(number)) : Optional.empty();
  }

  static OptionalDouble count(String text) {
    double value = decimal(text).map(BigDecimal::doubleValue).orElse(Double.NaN);
    return value <= LARGEST_COUNT ? OptionalDouble.of(value) : OptionalDouble.empty();
  }
}

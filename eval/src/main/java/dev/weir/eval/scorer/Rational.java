package dev.weir.eval.scorer;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/** A fraction in lowest terms; the denominator is positive. What would grow too large is absent. */
record Rational(BigInteger numerator, BigInteger denominator) {

  /** More than enough for answers; a tower of powers must not fill the memory. */
  private static final int MOST_BITS = 4_096;

  private static final int LARGEST_EXPONENT = 1_000;

  static Optional<Rational> of(BigInteger numerator, BigInteger denominator) {
    if (denominator.signum() == 0
        || numerator.bitLength() > MOST_BITS
        || denominator.bitLength() > MOST_BITS) {
      return Optional.empty();
    }
    BigInteger common = numerator.gcd(denominator);
    BigInteger divisor = denominator.signum() < 0 ? common.negate() : common;
    return Optional.of(new Rational(numerator.divide(divisor), denominator.divide(divisor)));
  }

  static Optional<Rational> of(BigDecimal number) {
    BigInteger unscaled = number.unscaledValue();
    int scale = number.scale();
    if (Math.abs(scale) > LARGEST_EXPONENT) {
      return Optional.empty();
    }
    BigInteger power = BigInteger.TEN.pow(Math.abs(scale));
    return scale >= 0 ? of(unscaled, power) : of(unscaled.multiply(power), BigInteger.ONE);
  }

  Optional<Rational> plus(Rational other) {
    return of(
        numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
        denominator.multiply(other.denominator));
  }

  Optional<Rational> times(Rational other) {
    return of(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
  }

  Optional<Rational> dividedBy(Rational other) {
    return of(numerator.multiply(other.denominator), denominator.multiply(other.numerator));
  }

  Rational negated() {
    return new Rational(numerator.negate(), denominator);
  }

  /** Absent for exponents that are not whole, or large. */
  Optional<Rational> power(Rational exponent) {
    if (!exponent.denominator.equals(BigInteger.ONE)
        || exponent.numerator.bitLength() > Integer.SIZE - 1
        || Math.abs(exponent.numerator.intValue()) > LARGEST_EXPONENT) {
      return Optional.empty();
    }
    int n = exponent.numerator.intValue();
    int bits = Math.max(numerator.bitLength(), denominator.bitLength());
    if ((long) bits * Math.abs(n) > 2L * MOST_BITS) {
      return Optional.empty();
    }
    BigInteger top = numerator.pow(Math.abs(n));
    BigInteger bottom = denominator.pow(Math.abs(n));
    return n >= 0 ? of(top, bottom) : of(bottom, top);
  }

  boolean isWhole() {
    return denominator.equals(BigInteger.ONE);
  }
}

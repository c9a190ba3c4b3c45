package dev.weir.statistics;

import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;

/** What {@link OptionalDouble} lacks. */
final class Optionals {

  private Optionals() {}

  static OptionalDouble map(OptionalDouble value, DoubleUnaryOperator function) {
    return value.isPresent()
        ? OptionalDouble.of(function.applyAsDouble(value.getAsDouble()))
        : OptionalDouble.empty();
  }
}

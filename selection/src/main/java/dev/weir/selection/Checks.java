package dev.weir.selection;

/** What parameters must be. */
final class Checks {

  private Checks() {}

  static void atLeast(String name, double value, double least) {
    if (!(value >= least && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "`%s` must be >= %s, was %s".formatted(name, least, value));
    }
  }

  static void positive(String name, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("`%s` must be > 0, was %s".formatted(name, value));
    }
  }

  /** Above 0, and at most 1. */
  static void share(String name, double value) {
    if (!(value > 0 && value <= 1)) {
      throw new IllegalArgumentException(
          "`%s` must be above 0 and at most 1, was %s".formatted(name, value));
    }
  }

  /** Between 0 and 1. */
  static void chance(String name, double value) {
    if (!(value > 0 && value < 1)) {
      throw new IllegalArgumentException(
          "`%s` must be between 0 and 1, was %s".formatted(name, value));
    }
  }
}

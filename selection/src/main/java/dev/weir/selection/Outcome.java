package dev.weir.selection;

import java.util.OptionalDouble;

/**
 * What came of an evaluation.
 *
 * @param score from 0 to 1; empty when it failed
 * @param cost in dollars, all calls included, those of judges too; empty when a price is unknown
 * @param latency in seconds, without waiting for a turn; empty when it was not measured
 */
public record Outcome(OptionalDouble score, OptionalDouble cost, OptionalDouble latency) {

  public Outcome {
    score.ifPresent(
        value -> {
          if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("`score` must be from 0 to 1, was " + value);
          }
        });
    requireAmount("cost", cost);
    requireAmount("latency", latency);
  }

  /** Of an evaluation of which only the score matters. */
  public static Outcome scored(double score) {
    return new Outcome(OptionalDouble.of(score), OptionalDouble.empty(), OptionalDouble.empty());
  }

  public static Outcome scored(double score, double cost, double latency) {
    return new Outcome(
        OptionalDouble.of(score), OptionalDouble.of(cost), OptionalDouble.of(latency));
  }

  public static Outcome failure() {
    return new Outcome(OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty());
  }

  public boolean failed() {
    return score.isEmpty();
  }

  private static void requireAmount(String name, OptionalDouble amount) {
    amount.ifPresent(
        value -> {
          if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("`%s` must be >= 0, was %s".formatted(name, value));
          }
        });
  }
}

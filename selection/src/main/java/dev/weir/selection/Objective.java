package dev.weir.selection;

import java.util.OptionalDouble;

/** What "best" means. */
public sealed interface Objective {

  /** The highest mean score. */
  record Score() implements Objective {}

  /**
   * The least cost or latency among the arms whose mean score is within {@code points} of the best.
   *
   * @param points on the scale of the score, such as 0.02
   */
  record Within(double points, Measure least) implements Objective {
    public Within {
      requireShare("points", points);
    }
  }

  /**
   * Score minus weighted cost minus weighted latency. The scales are fixed beforehand, so that one
   * slow call does not change what all others are worth.
   *
   * @param cost points of score that a cost of {@code costScale} is worth; 0 if it does not matter
   * @param costScale dollars for one evaluation; more counts the same
   * @param latency points of score that a latency of {@code latencyScale} is worth; 0 if it does
   *     not matter
   * @param latencyScale seconds for one evaluation; more counts the same
   */
  record Weighted(double cost, double costScale, double latency, double latencyScale)
      implements Objective {
    public Weighted {
      requireWeight("cost", cost, costScale);
      requireWeight("latency", latency, latencyScale);
    }
  }

  /** All arms that no other beats in score, cost and latency at once. */
  record Pareto() implements Objective {}

  /** What can be kept low. */
  enum Measure {
    COST,
    LATENCY
  }

  /** Whether outcomes without a cost are an error. */
  default boolean needsCost() {
    return switch (this) {
      case Score() -> false;
      case Within(double _, Measure least) -> least == Measure.COST;
      case Weighted weighted -> weighted.cost > 0;
      case Pareto() -> true;
    };
  }

  /** Whether outcomes without a latency are an error. */
  default boolean needsLatency() {
    return switch (this) {
      case Score() -> false;
      case Within(double _, Measure least) -> least == Measure.LATENCY;
      case Weighted weighted -> weighted.latency > 0;
      case Pareto() -> true;
    };
  }

  /** What a scored outcome is worth to selectors: from 0 to 1, higher is better. */
  default double value(Outcome outcome) {
    double score = outcome.score().orElse(0);
    return switch (this) {
      case Score() -> score;
      case Within _ -> score;
      case Pareto() -> score;
      case Weighted weighted -> {
        double price =
            weighted.cost * share(outcome.cost(), weighted.costScale)
                + weighted.latency * share(outcome.latency(), weighted.latencyScale);
        double most = weighted.cost + weighted.latency;
        yield outcome.failed() ? 0 : (score - price + most) / (1 + most);
      }
    };
  }

  private static double share(OptionalDouble amount, double scale) {
    return Math.min(1, amount.orElse(0) / scale);
  }

  private static void requireShare(String name, double value) {
    if (!(value >= 0 && value < 1)) {
      throw new IllegalArgumentException("`%s` must be from 0 to 1, was %s".formatted(name, value));
    }
  }

  private static void requireWeight(String name, double weight, double scale) {
    if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("`%s` must be >= 0, was %s".formatted(name, weight));
    }
    if (!(scale > 0 && scale < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("`%sScale` must be > 0, was %s".formatted(name, scale));
    }
  }
}

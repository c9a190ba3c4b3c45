package dev.weir.selection;

import dev.weir.statistics.Interval;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What is known of an arm.
 *
 * @param arm its index
 * @param samples datapoints with a final outcome, failures included
 * @param failures how many of them failed
 * @param value mean of what the objective values: the score, unless it is weighted; empty without
 *     samples
 * @param interval of that mean, valid whenever one looks; empty without samples
 * @param score mean score, failures as the plan says
 * @param cost mean dollars of a datapoint, all attempts and failures included; empty when that of a
 *     scored one is unknown
 * @param latency mean seconds of an attempt that was scored; empty when any is unknown
 * @param behindWinner how much less the mean value is than the winner's, on the datapoints of both,
 *     with an interval that is valid whenever one looks; empty for the winner and without common
 *     datapoints
 * @param elimination why and when it was given up
 */
public record Standing(
    int arm,
    int samples,
    int failures,
    OptionalDouble value,
    Optional<Interval> interval,
    OptionalDouble score,
    OptionalDouble cost,
    OptionalDouble latency,
    Optional<Difference> behindWinner,
    Optional<Elimination> elimination) {

  /** Whether it was given up for its failures alone, which do not show that it is worse. */
  boolean isGivenUpForFailures() {
    return elimination.filter(gone -> gone.by().isEmpty() && !gone.isShown()).isPresent();
  }

  Standing shownWorse() {
    return new Standing(
        arm,
        samples,
        failures,
        value,
        interval,
        score,
        cost,
        latency,
        behindWinner,
        elimination.map(
            gone -> new Elimination(gone.arm(), gone.round(), gone.by(), gone.reason(), true)));
  }

  /**
   * A paired difference.
   *
   * @param mean over the common datapoints
   * @param interval of it
   * @param datapoints how many both were tried on
   */
  public record Difference(double mean, Interval interval, int datapoints) {}
}

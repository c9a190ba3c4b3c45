package dev.weir.statistics;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What is known of numbers that come in clusters, such as questions on the same text: those of one
 * cluster may depend on each other, those of different clusters do not.
 *
 * <p>With r the distance of a number to the mean, n numbers and G clusters,
 *
 * <pre>
 *   standard error = sqrt( G / (G - 1) * sum over clusters of (sum over the cluster of r)² ) / n
 * </pre>
 *
 * The square of a cluster's sum is the sum of all products r_i * r_j within it, so what its numbers
 * have in common counts. Without G / (G - 1) this is CR0, the form of Miller (2024, "Adding error
 * bars to evals", appendix A), which is too small when there are few clusters; with it, for a mean,
 * it is CR1. When every number is a cluster of its own, it is the plain standard error.
 *
 * @param values all numbers, their clusters left aside
 * @param clusters how many there are
 * @param standardError of the mean; empty with fewer than two clusters
 */
public record ClusteredSummary(Summary values, int clusters, OptionalDouble standardError) {

  /**
   * @param clusters the cluster of each value, equal objects for the same cluster
   */
  public static ClusteredSummary of(double[] values, List<?> clusters) {
    if (values.length != clusters.size()) {
      throw new IllegalArgumentException(
          "`clusters` must name one for each of %s values, was %s"
              .formatted(values.length, clusters.size()));
    }
    Summary summary = Summary.of(values);
    double mean = summary.mean().orElse(0);
    Map<Object, double[]> sums = new HashMap<>();
    int i = 0;
    for (Object cluster : clusters) {
      sums.computeIfAbsent(cluster, _ -> new double[1])[0] += values[i++] - mean;
    }
    OptionalDouble error = standardError(sums, values.length);
    // Rounding may leave a trace of an error where there is none.
    return new ClusteredSummary(
        summary, sums.size(), summary.isConstant() ? Optionals.map(error, _ -> 0) : error);
  }

  private static OptionalDouble standardError(Map<Object, double[]> sums, int n) {
    double count = sums.size();
    if (count < 2) {
      return OptionalDouble.empty();
    }
    double squares = sums.values().stream().mapToDouble(sum -> sum[0] * sum[0]).sum();
    return OptionalDouble.of(Math.sqrt(count / (count - 1) * squares) / n);
  }
}

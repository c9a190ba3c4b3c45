package dev.weir.statistics;

import java.util.List;
import java.util.Optional;

/**
 * Where the variance of repeated measurements comes from: from what is measured, and from measuring
 * it. One-way analysis of variance with random effects (Searle, Casella and McCulloch 1992): with n
 * things measured r times each,
 *
 * <pre>
 *   within  = mean square within things
 *   between = (mean square between things - within) / r, at least 0
 * </pre>
 *
 * @param things how many were measured
 * @param repeats how often each was
 * @param between the variance of the things' true values
 * @param within the variance of a single measurement of one thing
 */
public record VarianceComponents(int things, int repeats, double between, double within) {

  /**
   * Empty with fewer than two things or two measurements of each.
   *
   * @param measured the measurements of each thing, of all the same number
   */
  public static Optional<VarianceComponents> of(List<double[]> measured) {
    int repeats = measured.isEmpty() ? 0 : measured.getFirst().length;
    if (measured.size() < 2 || repeats < 2) {
      return Optional.empty();
    }
    var means = new Summary();
    var variances = new Summary();
    for (double[] values : measured) {
      if (values.length != repeats) {
        throw new IllegalArgumentException(
            "`measured` must have %s values each, was %s".formatted(repeats, values.length));
      }
      Summary one = Summary.of(values);
      means.add(one.mean().getAsDouble());
      variances.add(one.variance().getAsDouble());
    }
    double within = variances.mean().getAsDouble();
    double between = means.variance().getAsDouble() - within / repeats;
    return Optional.of(
        new VarianceComponents(measured.size(), repeats, Math.max(0, between), within));
  }

  /** The share of the variance of single measurements that comes from measuring. */
  public double shareWithin() {
    return within + between == 0 ? 0 : within / (within + between);
  }

  /** The standard error of the mean over all things, if each were measured so often. */
  public double standardError(double timesEach) {
    return Math.sqrt((between + within / timesEach) / things);
  }
}

package dev.weir.selection;

import java.util.List;

/**
 * What is believed of the mean values of arms, some of which were measured.
 *
 * <p>Arms that share models are alike: the covariance of two is v (s · shared / nodes + (1 - s) ·
 * [same arm]), with a variance v and a share s of it that nodes explain by themselves. Of a few
 * shares the one that makes the measurements likeliest is taken. Each measurement has its own known
 * error.
 */
final class GaussianProcess {

  private static final double[] SHARES = {0.2, 0.5, 0.8, 0.95};
  private static final double LEAST_VARIANCE = 1e-4;

  /** A measured mean. */
  record Point(int arm, double mean, double squaredError) {}

  /** What is believed of an arm. */
  record Belief(double mean, double deviation) {}

  private final Arms arms;
  private final List<Point> points;
  private final double center;
  private final double variance;
  private double share;
  private double[][] factor = {};
  private double[] weights = {};

  GaussianProcess(Arms arms, List<Point> points) {
    this.arms = arms;
    this.points = points;
    double[] means = points.stream().mapToDouble(Point::mean).toArray();
    this.center = Moments.mean(means);
    this.variance =
        Math.max(LEAST_VARIANCE, Moments.squares(means, center) / Math.max(1, means.length - 1));
    double best = Double.NEGATIVE_INFINITY;
    double bestShare = SHARES[0];
    for (double candidate : SHARES) {
      double likelihood = fit(candidate);
      if (likelihood > best) {
        best = likelihood;
        bestShare = candidate;
      }
    }
    fit(bestShare);
  }

  Belief belief(int arm) {
    int n = points.size();
    double[] toPoints = new double[n];
    double mean = center;
    for (int i = 0; i < n; i++) {
      toPoints[i] = covariance(arm, points.get(i).arm);
      mean += toPoints[i] * weights[i];
    }
    double[] solved = solveLower(toPoints);
    double left = covariance(arm, arm);
    for (double part : solved) {
      left -= part * part;
    }
    return new Belief(mean, Math.sqrt(Math.max(0, left)));
  }

  private double covariance(int arm, int other) {
    int nodes = arms.nodes().size();
    int distance = arms.distance(arm, other);
    return variance * (share * (nodes - distance) / nodes + (arm == other ? 1 - share : 0));
  }

  /** Returns the logarithm of the likelihood, without constants. */
  private double fit(double newShare) {
    share = newShare;
    int n = points.size();
    factor = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        double sum = covariance(points.get(i).arm, points.get(j).arm);
        sum += i == j ? points.get(i).squaredError : 0;
        for (int k = 0; k < j; k++) {
          sum -= factor[i][k] * factor[j][k];
        }
        factor[i][j] = i == j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / factor[j][j];
      }
    }
    double[] solved =
        solveLower(points.stream().mapToDouble(point -> point.mean - center).toArray());
    double likelihood = 0;
    for (int i = 0; i < n; i++) {
      likelihood -= solved[i] * solved[i] / 2 + Math.log(factor[i][i]);
    }
    weights = solveUpper(solved);
    return likelihood;
  }

  private double[] solveLower(double[] right) {
    double[] solved = right.clone();
    for (int i = 0; i < solved.length; i++) {
      for (int j = 0; j < i; j++) {
        solved[i] -= factor[i][j] * solved[j];
      }
      solved[i] /= factor[i][i];
    }
    return solved;
  }

  private double[] solveUpper(double[] right) {
    double[] solved = right.clone();
    for (int i = solved.length - 1; i >= 0; i--) {
      for (int j = i + 1; j < solved.length; j++) {
        solved[i] -= factor[j][i] * solved[j];
      }
      solved[i] /= factor[i][i];
    }
    return solved;
  }
}

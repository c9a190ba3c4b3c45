package dev.weir.statistics;

/** Logarithms of factorials, and of how many ways there are to choose. */
final class LogFactorials {

  private final double[] logs;

  /** Summed as Kahan does, so that the last is as exact as the first. */
  LogFactorials(int most) {
    logs = new double[most + 1];
    double lost = 0;
    for (int i = 1; i <= most; i++) {
      double term = Math.log(i) - lost;
      logs[i] = logs[i - 1] + term;
      lost = logs[i] - logs[i - 1] - term;
    }
  }

  double choose(int n, int k) {
    return logs[n] - logs[k] - logs[n - k];
  }
}

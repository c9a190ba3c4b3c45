package dev.weir.selection;

import dev.weir.statistics.Betting;

/** When a paired difference is taken for real. */
sealed interface Comparison {

  /** Whether the mean of differences from -1 to 1 is above {@code least}. */
  boolean isAbove(double least, double[] differences);

  /**
   * When it is so many standard errors above. Half a square is added to the squares, so that a few
   * equal differences do not look certain.
   */
  record StandardErrors(double count) implements Comparison {

    private static final double ADDED_SQUARES = 0.5;

    @Override
    public boolean isAbove(double least, double[] differences) {
      int n = differences.length;
      if (n < 2) {
        return false;
      }
      double mean = Moments.mean(differences);
      double squares = Moments.squares(differences, mean);
      double variance = squares / (n - 1) + ADDED_SQUARES / n;
      return mean - least > count * Math.sqrt(variance / n);
    }
  }

  /**
   * When bets against the contrary have won so much that it was chance in at most {@code chance}.
   */
  record Bets(double chance) implements Comparison {

    @Override
    public boolean isAbove(double least, double[] differences) {
      return Betting.evidenceAbove(least, differences) >= -Math.log(chance);
    }
  }
}

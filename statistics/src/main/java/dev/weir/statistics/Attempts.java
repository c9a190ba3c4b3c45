package dev.weir.statistics;

import java.util.OptionalDouble;

/**
 * What n attempts, c of them right, say of k attempts. The estimates are unbiased: each is the
 * share of all ways to choose k of the n attempts that would have passed.
 */
public final class Attempts {

  private Attempts() {}

  /**
   * How likely at least one of k attempts is right, pass@k: {@code 1 - C(n - c, k) / C(n, k)} (Chen
   * et al. 2021).
   */
  public static double passAt(int n, int c, int k) {
    require(n, c, k);
    return 1 - shareOfChoices(n, n - c, k);
  }

  /**
   * How likely all of k attempts are right, pass^k: {@code C(c, k) / C(n, k)} (Yao et al. 2024).
   */
  public static double allPass(int n, int c, int k) {
    require(n, c, k);
    return shareOfChoices(n, c, k);
  }

  /**
   * Whether at least k of the attempts are right: 1 or 0; empty when it depends on attempts that
   * have no result.
   *
   * @param missing attempts without a result, beside the n
   */
  public static OptionalDouble atLeast(int n, int c, int k, int missing) {
    require(n, c);
    if (k < 1 || missing < 0) {
      throw new IllegalArgumentException(
          "`k` must be >= 1, `missing` >= 0; were %s and %s".formatted(k, missing));
    }
    if (c >= k) {
      return OptionalDouble.of(1);
    }
    return c + missing < k ? OptionalDouble.of(0) : OptionalDouble.empty();
  }

  /** C(part, k) / C(whole, k), as a product that cannot overflow. */
  private static double shareOfChoices(int whole, int part, int k) {
    double share = 1;
    for (int i = 0; i < k && share > 0; i++) {
      share *= Math.max(0, part - i) / (double) (whole - i);
    }
    return share;
  }

  private static void require(int n, int c) {
    if (c < 0 || c > n) {
      throw new IllegalArgumentException("`c` must be from 0 to `n` (%s), was %s".formatted(n, c));
    }
  }

  private static void require(int n, int c, int k) {
    require(n, c);
    if (k < 1 || k > n) {
      throw new IllegalArgumentException("`k` must be from 1 to `n` (%s), was %s".formatted(n, k));
    }
  }
}

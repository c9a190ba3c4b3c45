package dev.weir.benchmarks.promises;

import java.util.List;
import java.util.function.LongFunction;

/**
 * Promises that are measured on the same runs.
 *
 * @param promises what is measured of each run, in this order
 * @param firstSeed of each setup
 * @param seeds how many
 */
record Series(List<Promise> promises, long firstSeed, int seeds, List<Setup> setups) {

  /** Not used by any other benchmark. */
  static final long FIRST_SEED = 700_001;

  private static final int SEEDS = 5;

  Series {
    promises = List.copyOf(promises);
    setups = List.copyOf(setups);
  }

  /** A series with five seeds. */
  static Series of(List<Setup> setups, Promise... promises) {
    return new Series(List.of(promises), FIRST_SEED, SEEDS, setups);
  }

  /**
   * A figure that must not be exceeded.
   *
   * @param item of the list of promises: its number, or a word
   * @param figure what is measured
   * @param target what it must not exceed, in words
   */
  record Promise(String item, String figure, String target) {}

  /**
   * A provider with its work.
   *
   * @param run runs the client with a seed
   * @param judge measures each promise of the series on such a run
   */
  record Setup(String name, LongFunction<Traffic> run, Judge judge) {}

  /** Measures each promise of a series. */
  @FunctionalInterface
  interface Judge {
    List<Measured> measure(Traffic traffic, long seed);
  }

  /**
   * The value of a figure in one run.
   *
   * @param allowed what the value must not exceed in this run
   */
  record Measured(double value, double allowed) {

    static List<Measured> one(double value, double allowed) {
      return List.of(new Measured(value, allowed));
    }

    boolean isMet() {
      return value <= allowed;
    }

    /** By how much the value is too large; negative if it is not. */
    double excess() {
      return value - allowed;
    }
  }
}

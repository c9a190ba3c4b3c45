package dev.weir.limits.pace;

/**
 * A sequence of random numbers that is nothing but its state, so that it can be part of one:
 * SplitMix64 (1).
 *
 * <p>(1) Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014.
 */
final class Chance {

  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private long state;

  Chance(long state) {
    this.state = state;
  }

  long state() {
    return state;
  }

  double between(double least, double most) {
    state += GOLDEN_GAMMA;
    long z = state;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    z ^= z >>> 31;
    return least + (most - least) * ((z >>> 11) * 0x1.0p-53);
  }
}

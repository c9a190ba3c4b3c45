package dev.weir.simulator.provider;

import java.util.ArrayList;
import java.util.List;

/**
 * The very requests of the reference prototype, whose published optima depend on the slowest of
 * them: its generator (MT19937, and normal numbers by Box and Muller) for its seeds.
 */
final class PrototypeWorkload {

  private static final int SIZE = 624;
  private static final int OFFSET = 397;

  private final int[] state = new int[SIZE];
  private int position = SIZE;
  private double kept = Double.NaN;

  private PrototypeWorkload(int seed) {
    state[0] = 19_650_218;
    for (int i = 1; i < SIZE; i++) {
      state[i] = 1_812_433_253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
    int index = 1;
    for (int step = 0; step < SIZE; step++) {
      index = mix(index, 1_664_525, seed);
    }
    for (int step = 1; step < SIZE; step++) {
      index = mix(index, 1_566_083_941, -index);
    }
    state[0] = 0x8000_0000;
  }

  static List<Request> even(int count, int seed, double medianSeconds) {
    var random = new PrototypeWorkload(seed);
    List<Request> requests = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      long latency = Math.round(1e9 * medianSeconds * random.logNormal(0.5));
      requests.add(Request.exactlyEstimated(id, latency, 100, 100, 0));
    }
    return requests;
  }

  static List<Request> tokens(int count, int seed) {
    var random = new PrototypeWorkload(seed);
    List<Request> requests = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      random.logNormal(0.5);
      int prompt = (int) (400 * random.logNormal(0.8)) + 20;
      int output = Math.min(1_024, (int) (200 * random.logNormal(0.7)) + 5);
      double seconds = 0.4 + output / 150.0 * random.logNormal(0.2);
      requests.add(Request.exactlyEstimated(id, Math.round(1e9 * seconds), prompt, output, 1_024));
    }
    return requests;
  }

  private double logNormal(double sigma) {
    if (!Double.isNaN(kept)) {
      double second = kept;
      kept = Double.NaN;
      return Math.exp(sigma * second);
    }
    double angle = uniform() * 2 * Math.PI;
    double radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    kept = Math.sin(angle) * radius;
    return Math.exp(sigma * Math.cos(angle) * radius);
  }

  private double uniform() {
    int high = next() >>> 5;
    int low = next() >>> 6;
    return (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0;
  }

  private int next() {
    if (position == SIZE) {
      renew();
    }
    int value = state[position++];
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c_5680;
    value ^= (value << 15) & 0xefc6_0000;
    return value ^ (value >>> 18);
  }

  private void renew() {
    for (int i = 0; i < SIZE; i++) {
      int joined = (state[i] & 0x8000_0000) | (state[(i + 1) % SIZE] & 0x7fff_ffff);
      int twisted = (joined >>> 1) ^ ((joined & 1) == 0 ? 0 : 0x9908_b0df);
      state[i] = state[(i + OFFSET) % SIZE] ^ twisted;
    }
    position = 0;
  }

  private int mix(int index, int multiplier, int summand) {
    int before = state[index - 1];
    state[index] = (state[index] ^ ((before ^ (before >>> 30)) * multiplier)) + summand;
    if (index + 1 < SIZE) {
      return index + 1;
    }
    state[0] = state[SIZE - 1];
    return 1;
  }
}

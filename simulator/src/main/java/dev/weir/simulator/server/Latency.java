package dev.weir.simulator.server;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** How long answers take. */
sealed interface Latency {

  String FORM = "1.5s, 1.5s:0.4 (median:spread) or 1s:3s (from:to)";

  long draw(RandomGenerator random);

  static Latency of(Given given) {
    List<Given> parts = given.split(":", 1, 2, FORM);
    Duration first = parts.getFirst().duration();
    if (parts.size() == 1) {
      return new Fixed(first);
    }
    Given second = parts.getLast();
    if (!second.isDuration()) {
      return new LogNormal(first, second.rate());
    }
    if (second.duration().compareTo(first) < 0) {
      throw given.wrong("must not end before it begins");
    }
    return new Uniform(first, second.duration());
  }

  /** Always the same. */
  record Fixed(Duration time) implements Latency {
    @Override
    public long draw(RandomGenerator random) {
      return time.toNanos();
    }
  }

  /** Mostly near the median, sometimes much longer. */
  record LogNormal(Duration median, double sigma) implements Latency {
    @Override
    public long draw(RandomGenerator random) {
      return Math.round(median.toNanos() * Math.exp(sigma * random.nextGaussian()));
    }
  }

  /** Anything in between, the ends included. */
  record Uniform(Duration from, Duration to) implements Latency {
    @Override
    public long draw(RandomGenerator random) {
      return random.nextLong(from.toNanos(), to.toNanos() + 1);
    }
  }
}

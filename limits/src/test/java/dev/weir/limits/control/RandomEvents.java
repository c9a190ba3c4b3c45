package dev.weir.limits.control;

import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Endless random events of one character: a provider that refuses often or hardly ever, a caller
 * that uses its window or does not, calls in quick succession or with long gaps.
 *
 * <p>Times are multiples of 100 ms and numbers in flight lie around the saturation, so that the
 * exact edges of the rules are met often.
 */
final class RandomEvents {

  private static final long TICK_NANOS = Duration.ofMillis(100).toNanos();

  private final SplittableRandom random;
  private final int largestMax;

  private final double gaps;
  private final double idle;
  private final double answers;
  private final double refusals;
  private final double retunes;

  private long at;

  RandomEvents(long seed, int largestMax) {
    this.random = new SplittableRandom(seed);
    this.largestMax = largestMax;
    this.gaps = pick(0.0, 0.02, 0.1, 0.3);
    this.idle = pick(0.0, 0.5, 0.9);
    this.answers = pick(0.5, 0.6, 0.7);
    this.refusals = pick(0.0, 0.005, 0.03, 0.1);
    this.retunes = pick(0.0, 0.0, 0.02);
  }

  /**
   * @param window the window of the controller that is fed
   */
  Event next(int window) {
    at += TICK_NANOS * (random.nextDouble() < gaps ? random.nextInt(250) : random.nextInt(3));
    double kind = random.nextDouble();
    if (kind < retunes) {
      return new Event.Retuned(at, random.nextInt(1, largestMax + 1));
    }
    if (kind < retunes + refusals) {
      return new Event.RateLimited(at, hint(0, 1, 15, 20, 90), hint(5, 30));
    }
    if (kind < retunes + refusals + answers) {
      return new Event.Succeeded(at, random.nextInt(10) == 0);
    }
    return switch (random.nextInt(20)) {
      case 0, 1 -> new Event.TransientFailure(at);
      case 2 -> new Event.QuotaSeen(at, pick(0.0, 0.05, 0.0999, 0.1, 0.5, 1.0));
      default -> new Event.Acquired(at, inFlight(window));
    };
  }

  private int inFlight(int window) {
    int saturated = (int) Math.ceil(0.8 * window);
    int inFlight =
        random.nextDouble() < idle
            ? random.nextInt(saturated)
            : saturated + random.nextInt(window + 3 - saturated);
    return Math.max(1, inFlight);
  }

  private Optional<Duration> hint(int... seconds) {
    return random.nextBoolean()
        ? Optional.empty()
        : Optional.of(Duration.ofSeconds(seconds[random.nextInt(seconds.length)]));
  }

  private double pick(double... choices) {
    return choices[random.nextInt(choices.length)];
  }
}

package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Requests drawn from a seed.
 *
 * @param estimateError how far the client's estimate of the reserved tokens is off: the sigma of a
 *     log-normal factor; 0 for exact estimates
 * @param waves when there is what to do, in the order of time; nothing for all of it from the start
 */
public record Workload(int count, Shape shape, double estimateError, List<Wave> waves) {

  private static final double NANOS_PER_SECOND = 1e9;

  public Workload {
    if (count < 1) {
      throw new IllegalArgumentException("`count` must be >= 1, was " + count);
    }
    if (!(estimateError >= 0)) {
      throw new IllegalArgumentException("`estimateError` must be >= 0, was " + estimateError);
    }
    waves = List.copyOf(waves);
  }

  /**
   * Requests that come later than the start, until the next wave.
   *
   * @param firstId the first of them
   * @param from when it comes
   * @param perSecond how fast the others follow; infinite if they all come with it
   */
  public record Wave(int firstId, Duration from, double perSecond) {

    public Wave {
      if (!(perSecond > 0)) {
        throw new IllegalArgumentException("`perSecond` must be > 0, was " + perSecond);
      }
    }

    private long comesAt(int id) {
      return from.toNanos() + Math.round((id - firstId) / perSecond * NANOS_PER_SECOND);
    }
  }

  /** Requests that take 1.5 s in the median. */
  public static Workload of(int count) {
    return of(count, Duration.ofMillis(1_500));
  }

  public static Workload of(int count, Duration medianLatency) {
    return new Workload(count, new Shape.Even(medianLatency, 0.5), 0, List.of());
  }

  /** Requests of different sizes, answered at 150 tokens per second, allowed 1,024 tokens. */
  public static Workload ofTokens(int count) {
    return new Workload(count, new Shape.Tokens(), 0, List.of());
  }

  public Workload withEstimateError(double sigma) {
    return new Workload(count, shape, sigma, waves);
  }

  /** With the first so many of the requests. */
  public Workload withCount(int number) {
    return new Workload(number, shape, estimateError, waves);
  }

  public Workload inWaves(Wave... later) {
    return new Workload(count, shape, estimateError, List.of(later));
  }

  public List<Request> requests(long seed) {
    var random = new SplittableRandom(seed);
    // Apart, so that the error changes the estimates and not the requests.
    var errors = random.split();
    List<Request> requests = new ArrayList<>(count);
    for (int id = 0; id < count; id++) {
      requests.add(estimated(shape.draw(id, random), errors).notBefore(comesAt(id)));
    }
    return requests;
  }

  private Request estimated(Request exact, RandomGenerator random) {
    if (estimateError == 0) {
      return exact;
    }
    double estimate = exact.reservedTokens() * logNormal(random, estimateError);
    return exact.estimatedAt(Math.max(1, Math.round(estimate)));
  }

  private long comesAt(int id) {
    long at = 0;
    for (Wave wave : waves) {
      at = id < wave.firstId() ? at : wave.comesAt(id);
    }
    return at;
  }

  private static double logNormal(RandomGenerator random, double sigma) {
    return Math.exp(sigma * random.nextGaussian());
  }

  /** How the requests of a workload differ. */
  public sealed interface Shape {

    Request draw(int id, RandomGenerator random);

    /** All of the same size, with a log-normal latency. */
    record Even(Duration medianLatency, double sigma) implements Shape {

      private static final int TOKENS = 100;

      @Override
      public Request draw(int id, RandomGenerator random) {
        long latency = Math.round(medianLatency.toNanos() * logNormal(random, sigma));
        return Request.exactlyEstimated(id, latency, TOKENS, TOKENS, TOKENS);
      }
    }

    /** Log-normal sizes; the latency follows from the output. */
    record Tokens() implements Shape {

      private static final int MAX_TOKENS = 1_024;
      private static final double TOKENS_PER_SECOND = 150;
      private static final double FIRST_TOKEN_SECONDS = 0.4;

      @Override
      public Request draw(int id, RandomGenerator random) {
        int prompt = 20 + (int) (400 * logNormal(random, 0.8));
        int output = Math.min(MAX_TOKENS, 5 + (int) (200 * logNormal(random, 0.7)));
        double seconds = FIRST_TOKEN_SECONDS + output / TOKENS_PER_SECOND * logNormal(random, 0.2);
        return Request.exactlyEstimated(
            id, Math.round(seconds * NANOS_PER_SECOND), prompt, output, MAX_TOKENS);
      }
    }
  }
}

package dev.weir.limits.retry;

import java.time.Duration;

/** How long one attempt may take. */
public sealed interface AttemptTimeout {

  /** No bound: an attempt takes as long as its connection lasts. */
  AttemptTimeout OFF = new Off();

  /** A bound that follows the latency of earlier answers. */
  AttemptTimeout AUTO = new Auto();

  /** No bound. */
  record Off() implements AttemptTimeout {}

  /**
   * A fixed bound on the whole attempt, whether or not the provider has begun to answer.
   *
   * @param timeout after which the attempt is interrupted
   */
  record After(Duration timeout) implements AttemptTimeout {

    public After {
      if (!timeout.isPositive()) {
        throw new IllegalArgumentException("`attemptTimeout` must be > 0, was " + timeout);
      }
    }
  }

  /**
   * A bound on the silence before the first byte of an answer: a multiple of the latency that
   * similar requests had. It never applies to an answer that has begun to arrive.
   */
  record Auto() implements AttemptTimeout {}
}

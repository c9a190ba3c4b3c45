package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.Optional;

/** What a client receives. */
public sealed interface Response {

  int status();

  /** What the response tells about the quotas. */
  QuotaHeaders quota();

  /** When to come back, if the provider tells. */
  default Optional<Duration> retryAfter() {
    return Optional.empty();
  }

  /**
   * @param quota snapshot of the moment of admission, by now as old as the answer took
   */
  record Answer(QuotaHeaders quota, long usedTokens) implements Response {
    @Override
    public int status() {
      return 200;
    }
  }

  /**
   * @param kind what was exceeded, if the provider tells
   */
  record Refusal(Optional<RefusalKind> kind, Optional<Duration> retryAfter, QuotaHeaders quota)
      implements Response {
    @Override
    public int status() {
      return 429;
    }
  }

  /** A fault of the provider: nothing was charged, and nothing is told. */
  record Failure(int status) implements Response {

    public static final int ERROR = 500;
    public static final int OUTAGE = 503;
    public static final int OVERLOAD = 529;

    @Override
    public QuotaHeaders quota() {
      return QuotaHeaders.NONE;
    }
  }
}

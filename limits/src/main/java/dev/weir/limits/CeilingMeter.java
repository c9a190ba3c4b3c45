package dev.weir.limits;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.Cost;
import java.util.OptionalDouble;

/**
 * Spaces attempts so that a {@link RateCeiling} is kept: each moves the time of the next by what it
 * uses. So no minute has more than the ceiling, whenever it begins; of tokens, at most one request
 * more, since a request is sent as a whole. Guarded by the lock of the regulator.
 */
final class CeilingMeter {

  private static final double MINUTE_NANOS = 60e9;

  private RateCeiling ceiling = RateCeiling.NONE;
  // When the next attempt may leave; as doubles, since a token may be less than a nanosecond.
  private double nextByRequests = Double.NEGATIVE_INFINITY;
  private double nextByTokens = Double.NEGATIVE_INFINITY;

  RateCeiling ceiling() {
    return ceiling;
  }

  /** What was sent under another ceiling has been paid for at its rate. */
  void limitTo(RateCeiling newCeiling) {
    ceiling = newCeiling;
    if (newCeiling.requestsPerMinute().isEmpty()) {
      nextByRequests = Double.NEGATIVE_INFINITY;
    }
    if (newCeiling.tokensPerMinute().isEmpty()) {
      nextByTokens = Double.NEGATIVE_INFINITY;
    }
  }

  boolean isSet() {
    return !ceiling.equals(RateCeiling.NONE);
  }

  /** Nanoseconds until an attempt may leave. */
  long waitNanos(long now) {
    return (long) Math.max(0, Math.ceil(Math.max(nextByRequests, nextByTokens) - now));
  }

  /** What an attempt that has to wait waits for. */
  Dimension binding() {
    return nextByTokens > nextByRequests ? Dimension.TOKENS : Dimension.REQUESTS;
  }

  void sent(long now, Cost estimate) {
    nextByRequests = later(nextByRequests, now, ceiling.requestsPerMinute(), 1);
    nextByTokens =
        later(nextByTokens, now, ceiling.tokensPerMinute(), estimate.of(Dimension.TOKENS));
  }

  /** Corrects the estimate; a refused attempt has used no tokens. */
  void settle(Cost estimate, double usedTokens) {
    if (ceiling.tokensPerMinute().isPresent()) {
      double corrected = usedTokens - estimate.of(Dimension.TOKENS);
      nextByTokens += corrected * MINUTE_NANOS / ceiling.tokensPerMinute().getAsDouble();
    }
  }

  /** The attempt was never made. */
  void withdraw(Cost estimate) {
    settle(estimate, 0);
    if (ceiling.requestsPerMinute().isPresent()) {
      nextByRequests -= MINUTE_NANOS / ceiling.requestsPerMinute().getAsDouble();
    }
  }

  private static double later(double next, long now, OptionalDouble perMinute, double amount) {
    return perMinute.isEmpty()
        ? next
        : Math.max(next, (double) now) + amount * MINUTE_NANOS / perMinute.getAsDouble();
  }
}

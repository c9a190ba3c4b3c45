package dev.weir.limits.header;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code x-ratelimit-{limit,remaining,reset}-<bucket>}: OpenAI and its project tokens, Azure, Groq,
 * Mistral, and gateways that name the window only.
 *
 * <p>The same name means different windows: {@code requests} is per minute at OpenAI and per day at
 * Groq. So a window is stated only where the bucket's name has one; else the refill rate tells.
 */
final class NamedBucketHeaders implements HeaderFamily {

  private static final String PREFIX = "x-ratelimit-";
  private static final String LIMIT = PREFIX + "limit-";
  private static final String REMAINING = PREFIX + "remaining-";
  private static final String RESET = PREFIX + "reset-";
  private static final String RENEWAL_PERIOD = PREFIX + "renewalperiod-";
  private static final long PERIOD_IF_UNKNOWN_SECONDS = 60;

  /** From here on, a number is a moment. */
  private static final double LARGEST_SPAN = 1e9;

  @Override
  public List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock) {
    Set<String> buckets = new TreeSet<>();
    for (String field : List.of(LIMIT, REMAINING, RESET)) {
      for (String name : headers.namesFrom(field)) {
        buckets.add(name.substring(field.length()));
      }
    }
    List<QuotaSnapshot> quotas = new ArrayList<>();
    for (String bucket : buckets) {
      BucketName.parse(bucket)
          .flatMap(
              name ->
                  new QuotaDraft(name.dimension(), bucket, PREFIX + "*")
                      .counts(headers.first(LIMIT + bucket), headers.first(REMAINING + bucket))
                      .reset(reset(headers, bucket, name, clock))
                      .window(name.window())
                      .snapshot())
          .ifPresent(quotas::add);
    }
    return quotas;
  }

  /**
   * A bare number is in seconds, or, as Azure and GitHub Models mostly have it, in milliseconds.
   * The unit is the one in which it fits what is missing in the bucket, given the period in which
   * the bucket is filled.
   */
  private static Optional<Reset> reset(
      ResponseHeaders headers, String bucket, BucketName name, ServerClock clock) {
    String text = headers.first(RESET + bucket);
    OptionalDouble number = Numbers.count(text);
    OptionalDouble limit = Numbers.count(headers.first(LIMIT + bucket));
    OptionalDouble remaining = Numbers.count(headers.first(REMAINING + bucket));
    OptionalDouble renewal = Numbers.count(headers.first(RENEWAL_PERIOD + bucket));
    double period =
        renewal.orElse(name.window().map(Duration::toSeconds).orElse(PERIOD_IF_UNKNOWN_SECONDS));
    if (number.isEmpty()
        || limit.orElse(0) <= 0
        || remaining.isEmpty()
        || number.getAsDouble() >= LARGEST_SPAN) {
      return clock.reset(text);
    }
    double missing = Math.max(0, 1 - remaining.getAsDouble() / limit.getAsDouble());
    double seconds = missing * period;
    double value = number.getAsDouble();
    boolean millis =
        seconds > 0 ? distance(value / 1_000, seconds) < distance(value, seconds) : value > period;
    return millis
        ? Durations.ofSeconds(BigDecimal.valueOf(value).movePointLeft(3)).map(Reset::in)
        : clock.reset(text);
  }

  /** How far apart two times are, as orders of magnitude; whole seconds are rounded. */
  private static double distance(double seconds, double expected) {
    return Math.abs(Math.log(Math.max(seconds, 1e-3) / expected));
  }
}

package dev.weir.limits.header;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code x-ratelimit-{limit,remaining}} for requests and {@code x-tokenlimit-{limit,remaining}} for
 * tokens, each also with {@code -dynamic} for the rate that live capacity allows.
 *
 * <p>{@code x-ratelimit-reset} is here not the time to a full bucket but a suggested retry
 * interval, which is why this family is told from {@link PlainHeaders} at all.
 */
final class TogetherHeaders implements HeaderFamily {

  private static final String REQUESTS = "x-ratelimit-";
  private static final String TOKENS = "x-tokenlimit-";
  private static final String DYNAMIC = "-dynamic";

  /** Whether the response is of this family, so that no other may read its plain triple. */
  static boolean recognizes(ResponseHeaders headers) {
    return !headers.namesFrom(TOKENS).isEmpty()
        || headers.contains(REQUESTS + "limit" + DYNAMIC)
        || headers.contains(REQUESTS + "remaining" + DYNAMIC);
  }

  static Optional<Duration> suggestedWait(ResponseHeaders headers, ServerClock clock) {
    return recognizes(headers) ? clock.until(headers.first(REQUESTS + "reset")) : Optional.empty();
  }

  @Override
  public List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock) {
    if (!recognizes(headers)) {
      return List.of();
    }
    List<QuotaSnapshot> quotas = new ArrayList<>();
    for (String suffix : List.of("", DYNAMIC)) {
      read(headers, Dimension.REQUESTS, REQUESTS, suffix).ifPresent(quotas::add);
      read(headers, Dimension.TOKENS, TOKENS, suffix).ifPresent(quotas::add);
    }
    return quotas;
  }

  private static Optional<QuotaSnapshot> read(
      ResponseHeaders headers, Dimension dimension, String prefix, String suffix) {
    return new QuotaDraft(dimension, dimension.word() + suffix, prefix + "*")
        .counts(
            headers.first(prefix + "limit" + suffix), headers.first(prefix + "remaining" + suffix))
        .snapshot();
  }
}

package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code anthropic-ratelimit-<dimension>-{limit,remaining,reset}}. The reset is the moment (RFC
 * 3339) of full replenishment; {@code tokens} shows the most restrictive limit in force.
 */
final class AnthropicHeaders implements HeaderFamily {

  private static final String PREFIX = "anthropic-ratelimit-";

  /** Remaining tokens are rounded to the nearest thousand, as documented. */
  private static final double TOKEN_RESOLUTION = 1000;

  @Override
  public List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock) {
    if (headers.namesFrom(PREFIX).isEmpty()) {
      return List.of();
    }
    List<QuotaSnapshot> quotas = new ArrayList<>();
    for (Dimension dimension : Dimension.values()) {
      String bucket = PREFIX + dimension.word();
      new QuotaDraft(dimension, dimension.word(), PREFIX + "*")
          .counts(headers.first(bucket + "-limit"), headers.first(bucket + "-remaining"))
          .reset(clock.reset(headers.first(bucket + "-reset")))
          .resolution(dimension == Dimension.REQUESTS ? 1 : TOKEN_RESOLUTION)
          .snapshot()
          .ifPresent(quotas::add);
    }
    return quotas;
  }
}

package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.List;
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

  @Override
  public List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock) {
    Set<String> buckets = new TreeSet<>();
    for (String field : List.of(LIMIT, REMAINING)) {
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
                      .reset(clock.until(headers.first(RESET + bucket)))
                      .window(name.window())
                      .snapshot())
          .ifPresent(quotas::add);
    }
    return quotas;
  }
}

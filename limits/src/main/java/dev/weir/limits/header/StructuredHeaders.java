package dev.weir.limits.header;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The structured fields of draft-ietf-httpapi-ratelimit-headers-10: {@code RateLimit-Policy:
 * "burst";q=10;w=1} (quota, window in seconds, {@code qu} unit) and {@code RateLimit:
 * "burst";r=5;t=1} (remaining, seconds to the reset), tied together by the name.
 */
final class StructuredHeaders implements HeaderFamily {

  private static final ListMember NOTHING = new ListMember("", Map.of());

  @Override
  public List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock) {
    if (headers.namesFrom("ratelimit").isEmpty()) {
      return List.of();
    }
    Map<String, ListMember> policies = byName(headers.list("ratelimit-policy"), "q");
    Map<String, ListMember> states = byName(headers.list("ratelimit"), "r");
    Set<String> names = new LinkedHashSet<>(policies.keySet());
    names.addAll(states.keySet());
    List<QuotaSnapshot> quotas = new ArrayList<>();
    for (String name : names) {
      ListMember policy = policies.getOrDefault(name, NOTHING);
      ListMember state = states.getOrDefault(name, NOTHING);
      dimension(name, policy.parameter("qu"))
          .flatMap(
              dimension ->
                  new QuotaDraft(dimension, name, "RateLimit")
                      .counts(policy.parameter("q"), state.parameter("r"))
                      .reset(clock.reset(state.parameter("t")))
                      .window(seconds(policy.parameter("w")))
                      .snapshot())
          .ifPresent(quotas::add);
    }
    return quotas;
  }

  /** When the last of the quotas that have run out is there again. */
  static Optional<Duration> windowEnd(ResponseHeaders headers, ServerClock clock) {
    return headers.list("ratelimit").stream()
        .filter(state -> Numbers.count(state.parameter("r")).orElse(1) < 1)
        .flatMap(state -> clock.until(state.parameter("t")).stream())
        .max(Duration::compareTo);
  }

  /** The first of each name; older drafts have other members in the same headers. */
  private static Map<String, ListMember> byName(List<ListMember> members, String required) {
    Map<String, ListMember> byName = new LinkedHashMap<>();
    for (ListMember member : members) {
      if (!member.value().isEmpty() && !member.parameter(required).isEmpty()) {
        byName.putIfAbsent(member.value(), member);
      }
    }
    return byName;
  }

  /** Absent for what we do not count, such as bytes or requests in flight. */
  private static Optional<Dimension> dimension(String name, String unit) {
    String counted = (unit.isEmpty() ? name : unit).toLowerCase(Locale.ROOT);
    if (counted.equals("concurrent-requests")) {
      return Optional.empty();
    }
    Optional<Dimension> told = BucketName.parse(counted).map(BucketName::dimension);
    return unit.isEmpty() ? told.or(() -> Optional.of(Dimension.REQUESTS)) : told;
  }

  private static Optional<Duration> seconds(String text) {
    return Numbers.decimal(text).flatMap(Durations::ofSeconds);
  }
}

package dev.weir.limits.header;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One triple for requests, {@code ratelimit-{limit,remaining,reset}} with or without {@code x-}:
 * OpenRouter, gateways, and the IETF draft up to its sixth version.
 *
 * <p>The limit may be a list, as in {@code 1000, 1000;w=1, 60000;w=60}: the first is the one that
 * the other two headers speak of, the rest are policies with their windows in seconds. Some send
 * the policies in {@code RateLimit-Policy} instead.
 */
final class PlainHeaders implements HeaderFamily {

  private static final String STANDARD = "ratelimit-";
  private static final String EXTENSION = "x-ratelimit-";
  private static final String EXTENSION_WITH_DASH = "x-rate-limit-";

  @Override
  public List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock) {
    for (String prefix : List.of(STANDARD, EXTENSION, EXTENSION_WITH_DASH)) {
      if (headers.namesFrom(prefix).isEmpty()
          || (prefix.equals(EXTENSION) && TogetherHeaders.recognizes(headers))) {
        continue;
      }
      List<QuotaSnapshot> quotas = read(prefix, headers, clock);
      if (!quotas.isEmpty()) {
        // Whoever sends two spellings sends the same twice.
        return quotas;
      }
    }
    return List.of();
  }

  /** When the quota is there again, unless some of it is left. */
  static Optional<Duration> windowEnd(ResponseHeaders headers, ServerClock clock) {
    for (String prefix : List.of(STANDARD, EXTENSION, EXTENSION_WITH_DASH)) {
      if (prefix.equals(EXTENSION) && TogetherHeaders.recognizes(headers)) {
        continue;
      }
      Optional<Duration> reset = clock.until(headers.first(prefix + "reset"));
      if (reset.isPresent()) {
        String remaining = firstOf(headers.list(prefix + "remaining"));
        return reset.filter(_ -> Numbers.count(remaining).orElse(0) < 1);
      }
    }
    return Optional.empty();
  }

  private static List<QuotaSnapshot> read(
      String prefix, ResponseHeaders headers, ServerClock clock) {
    List<ListMember> policies = new ArrayList<>(headers.list(prefix + "limit"));
    String limit = firstOf(policies);
    policies.addAll(headers.list(STANDARD + "policy"));
    List<QuotaSnapshot> quotas = new ArrayList<>();
    new QuotaDraft(Dimension.REQUESTS, Dimension.REQUESTS.word(), prefix + "*")
        .counts(limit, firstOf(headers.list(prefix + "remaining")))
        .reset(clock.reset(headers.first(prefix + "reset")))
        .window(windowOf(limit, policies))
        .snapshot()
        .ifPresent(quotas::add);
    if (!quotas.isEmpty()) {
      addOthers(limit, policies, prefix, quotas);
    }
    return quotas;
  }

  private static String firstOf(List<ListMember> members) {
    return members.isEmpty() ? "" : members.getFirst().value();
  }

  private static Optional<Duration> windowOf(String limit, List<ListMember> policies) {
    OptionalDouble count = Numbers.count(limit);
    return policies.stream()
        .filter(policy -> count.isPresent() && Numbers.count(policy.value()).equals(count))
        .flatMap(policy -> window(policy).stream())
        .findFirst();
  }

  private static void addOthers(
      String limit, List<ListMember> policies, String prefix, List<QuotaSnapshot> quotas) {
    OptionalDouble count = Numbers.count(limit);
    for (ListMember policy : policies) {
      Optional<Duration> window = window(policy);
      if (window.isPresent() && !Numbers.count(policy.value()).equals(count)) {
        String name = Dimension.REQUESTS.word() + ";w=" + policy.parameter("w");
        new QuotaDraft(Dimension.REQUESTS, name, prefix + "*")
            .counts(policy.value(), "")
            .window(window)
            .snapshot()
            .ifPresent(quotas::add);
      }
    }
  }

  private static Optional<Duration> window(ListMember policy) {
    return Numbers.decimal(policy.parameter("w")).flatMap(Durations::ofSeconds);
  }
}

package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.LimitChange;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The quotas of a provider and their schedule. Not thread-safe; fed with the time. */
final class Quotas {

  /** All that are enforced, in the order in which they are checked. */
  private final List<Bucket> enforced = new ArrayList<>();

  /** All that may be told. */
  private final List<Bucket> advertised = new ArrayList<>();

  private final List<LimitChange> schedule;
  private int changed;

  Quotas(ProviderSettings settings) {
    bucket(RefusalKind.REQUESTS, settings.hiddenRequests(), settings).ifPresent(enforced::add);
    advertise(RefusalKind.REQUESTS, settings.requests(), settings);
    advertise(RefusalKind.TOKENS, settings.tokens(), settings);
    advertise(RefusalKind.INPUT_TOKENS, settings.inputTokens(), settings);
    advertise(RefusalKind.OUTPUT_TOKENS, settings.outputTokens(), settings);
    schedule = settings.schedule();
  }

  void moveTo(long now) {
    while (changed < schedule.size() && schedule.get(changed).at().toNanos() <= now) {
      LimitChange change = schedule.get(changed++);
      for (Bucket bucket : enforced) {
        bucket.moveTo(change.at().toNanos());
        bucket.scale(change.factor());
      }
    }
    for (Bucket bucket : enforced) {
      bucket.moveTo(now);
    }
  }

  /** The first quota that does not hold what the request takes. */
  Optional<Bucket> exceededBy(Request request) {
    for (Bucket bucket : enforced) {
      if (!bucket.holds(request)) {
        return Optional.of(bucket);
      }
    }
    return Optional.empty();
  }

  void take(Request request) {
    for (Bucket bucket : enforced) {
      bucket.take(request);
    }
  }

  void settle(Request request) {
    for (Bucket bucket : advertised) {
      bucket.settle(request);
    }
  }

  QuotaHeaders headers(long now) {
    Map<RefusalKind, QuotaHeader> headers = new EnumMap<>(RefusalKind.class);
    for (Bucket bucket : advertised) {
      headers.put(bucket.kind(), QuotaHeader.of(bucket));
    }
    return new QuotaHeaders(now, headers);
  }

  /** How long until all hold what the request takes, or the schedule changes them. */
  long nanosUntilHold(long now, Request request) {
    long wait = 0;
    for (Bucket bucket : enforced) {
      wait = Math.max(wait, bucket.nanosUntilHolds(request));
    }
    return changed < schedule.size()
        ? Math.min(wait, schedule.get(changed).at().toNanos() - now)
        : wait;
  }

  private void advertise(RefusalKind kind, Optional<Quota> quota, ProviderSettings settings) {
    bucket(kind, quota, settings)
        .ifPresent(
            bucket -> {
              enforced.add(bucket);
              advertised.add(bucket);
            });
  }

  private static Optional<Bucket> bucket(
      RefusalKind kind, Optional<Quota> quota, ProviderSettings settings) {
    double others = settings.otherTraffic().perSecond(kind);
    return quota.map(
        present ->
            settings.calendar().isPresent()
                ? new CalendarBucket(kind, present, settings.calendar().get(), others)
                : new RefilledBucket(kind, present, others));
  }
}

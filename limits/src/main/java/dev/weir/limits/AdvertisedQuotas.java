package dev.weir.limits;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The quotas that headers advertise, where nothing is regulated by them: what they allow per
 * minute, and when little of one is left. Guarded by the lock of the regulator.
 */
final class AdvertisedQuotas {

  private static final double LOW_SHARE = 0.1;

  /** Well above, since responses come out of order. */
  private static final double RECOVERED_SHARE = 0.2;

  /** A rate is reported again when it has become another by more than this. */
  private static final double NOTABLE_CHANGE = 0.02;

  /** Without a listener, nothing drains them. */
  private static final int MOST_EVENTS = 100;

  /** A provider may invent names. */
  private static final int MOST_QUOTAS = 20;

  private final Map<Dimension, Map<String, HeaderQuota>> quotas = new EnumMap<>(Dimension.class);
  private final Map<Dimension, Double> reported = new EnumMap<>(Dimension.class);
  private final Set<String> low = new HashSet<>();
  private final Deque<LimitEvent> events = new ArrayDeque<>();

  /**
   * @param took how long before its response the request was sent
   */
  void read(ResponseFacts facts, Duration took) {
    Set<Dimension> settled = EnumSet.noneOf(Dimension.class);
    for (QuotaSnapshot quota : facts.quotas()) {
      if (quota.limit().isPresent() && read(quota, took)) {
        settled.add(quota.dimension());
      }
    }
    for (Dimension dimension : settled) {
      learned(dimension, perMinute(quotas.getOrDefault(dimension, Map.of()).values()));
    }
    facts.quotas().forEach(this::warn);
  }

  /** Whether it may say how much is allowed per minute. */
  private boolean read(QuotaSnapshot quota, Duration took) {
    Map<String, HeaderQuota> ofDimension =
        quotas.computeIfAbsent(quota.dimension(), _ -> new HashMap<>());
    HeaderQuota known = ofDimension.get(quota.name());
    boolean isFirst = known == null;
    if (known == null) {
      if (ofDimension.size() == MOST_QUOTAS) {
        return false;
      }
      known = new HeaderQuota();
      ofDimension.put(quota.name(), known);
    }
    known.read(quota, took);
    return !isFirst || isSettled(quota);
  }

  /** What all of them allow; unknown if one of them may allow less than the others. */
  private static OptionalDouble perMinute(Collection<HeaderQuota> together) {
    double least = Double.POSITIVE_INFINITY;
    for (HeaderQuota quota : together) {
      OptionalDouble rate = quota.perMinute();
      if (rate.isEmpty()) {
        return rate;
      }
      least = Math.min(least, rate.getAsDouble());
    }
    return OptionalDouble.of(least);
  }

  /**
   * Whether one response is enough to know the rate. Without a window, the next one shows whether
   * the limit is a rate, or only what a bucket holds.
   */
  private static boolean isSettled(QuotaSnapshot quota) {
    return quota.window().isPresent();
  }

  private void learned(Dimension dimension, OptionalDouble perMinute) {
    if (perMinute.isEmpty() || perMinute.getAsDouble() <= 0) {
      return;
    }
    double rate = perMinute.getAsDouble();
    Double before = reported.get(dimension);
    if (before == null || Math.abs(rate / before - 1) > NOTABLE_CHANGE) {
      reported.put(dimension, rate);
      add(new LimitEvent.LimitLearned(dimension, rate / 60, LimitEvent.Source.HEADER));
    }
  }

  private void warn(QuotaSnapshot quota) {
    double limit = quota.limit().orElse(0);
    if (limit <= 0 || quota.remaining().isEmpty()) {
      return;
    }
    double remaining = quota.remaining().getAsDouble();
    if (remaining >= RECOVERED_SHARE * limit) {
      low.remove(quota.name());
    } else if (remaining < LOW_SHARE * limit && low.add(quota.name())) {
      add(new LimitEvent.QuotaWarning(quota.dimension(), remaining, limit));
    }
  }

  private void add(LimitEvent event) {
    if (events.size() == MOST_EVENTS) {
      events.removeFirst();
    }
    events.addLast(event);
  }

  /** What has become known since it was last asked, oldest first. */
  List<LimitEvent> drainEvents() {
    if (events.isEmpty()) {
      return List.of();
    }
    List<LimitEvent> drained = List.copyOf(events);
    events.clear();
    return drained;
  }
}

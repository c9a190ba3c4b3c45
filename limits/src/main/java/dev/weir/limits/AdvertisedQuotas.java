package dev.weir.limits;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
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

  private final Map<Dimension, HeaderQuota> quotas = new EnumMap<>(Dimension.class);
  private final Map<Dimension, Double> reported = new EnumMap<>(Dimension.class);
  private final Set<String> low = new HashSet<>();
  private final Deque<LimitEvent> events = new ArrayDeque<>();

  void read(ResponseFacts facts) {
    for (QuotaSnapshot quota : facts.quotas()) {
      Dimension dimension = quota.dimension();
      HeaderQuota known = quotas.get(dimension);
      if (known == null) {
        known = new HeaderQuota();
        quotas.put(dimension, known);
        known.read(quota);
        if (isSettled(quota)) {
          learned(dimension, known.perMinute());
        }
      } else {
        known.read(quota);
        learned(dimension, known.perMinute());
      }
      warn(quota);
    }
  }

  /**
   * Whether one response is enough to know the rate. With a reset, the next one tells whether the
   * limit is a rate, or only what a bucket holds.
   */
  private static boolean isSettled(QuotaSnapshot quota) {
    return quota.window().isPresent() || quota.reset().isEmpty();
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

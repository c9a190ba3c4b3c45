package dev.weir.limits;

import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The requests of a lane that wait for the time of their next attempt. Guarded by the lock of the
 * regulator.
 */
final class Backoffs {

  /**
   * One of them.
   *
   * @param until when its wait is over, unless it is woken before
   * @param ranOut whether it was refused because an advertised quota had run out: once it is
   *     refilled, there is nothing to wait for
   */
  record Backoff(Signal signal, long until, Cost cost, boolean ranOut) {

    /** As the signal, each is only equal to itself. */
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  private final Set<Backoff> waiting = new LinkedHashSet<>();
  private int ranOut;

  int size() {
    return waiting.size();
  }

  void add(Backoff backoff) {
    waiting.add(backoff);
    ranOut += backoff.ranOut ? 1 : 0;
  }

  void remove(Backoff backoff) {
    if (waiting.remove(backoff)) {
      ranOut -= backoff.ranOut ? 1 : 0;
    }
  }

  void wakeAll(List<Signal> woken) {
    waiting.forEach(backoff -> woken.add(backoff.signal));
  }

  /** Those whose quota ran out and has come back, as far as it suffices; the first due go first. */
  void wakeRefilled(ResponseFacts facts, List<Signal> woken) {
    if (ranOut == 0 || facts.quotas().isEmpty()) {
      return;
    }
    List<Backoff> first =
        waiting.stream()
            .filter(Backoff::ranOut)
            .sorted(Comparator.comparingLong(Backoff::until))
            .toList();
    int room = 0;
    while (room < first.size() && suffices(facts, first.get(room).cost, room + 1)) {
      woken.add(first.get(room).signal);
      room++;
    }
  }

  /** When the first of them is due. */
  long nextEnd() {
    return waiting.stream().mapToLong(Backoff::until).min().orElse(Time.NEVER);
  }

  /** Whether a refusal says itself that a quota was empty. */
  static boolean saysEmpty(Outcome outcome, Cost cost) {
    return outcome instanceof Outcome.RateLimited(ResponseFacts facts)
        && !facts.quotas().isEmpty()
        && !suffices(facts, cost, 1);
  }

  private static boolean suffices(ResponseFacts facts, Cost cost, int times) {
    for (QuotaSnapshot quota : facts.quotas()) {
      if (quota.remaining().orElse(Double.MAX_VALUE) < times * cost.of(quota.dimension())) {
        return false;
      }
    }
    return true;
  }
}

package dev.weir.limits;

import dev.weir.limits.Demand.Standing;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who is next: the most urgent standing, and within it the flow that has had least for its weight,
 * and within that who came first.
 *
 * <p>Waiting moves a request up by one standing every 30 s, so none starves. Not thread-safe.
 */
final class FairQueue {

  private static final double AGEING_NANOS = 30e9;

  private final Map<Standing, Flows> standings = new EnumMap<>(Standing.class);
  private int size;

  FairQueue() {
    for (Standing standing : Standing.values()) {
      standings.put(standing, new Flows());
    }
  }

  int size() {
    return size;
  }

  void add(Waiter waiter) {
    flows(waiter).add(waiter);
    size++;
  }

  /** The next one, if any; it stays in the queue. */
  @Nullable Waiter peek(long now) {
    Waiter next = null;
    double nextRank = Double.POSITIVE_INFINITY;
    for (Flows flows : standings.values()) {
      Waiter candidate = flows.peek();
      if (candidate != null) {
        double rank = candidate.demand.standing().rank() - (now - candidate.since) / AGEING_NANOS;
        if (rank < nextRank) {
          next = candidate;
          nextRank = rank;
        }
      }
    }
    return next;
  }

  /** Takes out one that was granted: its flow has had its turn. */
  void grant(Waiter waiter) {
    flows(waiter).grant(waiter);
    size--;
  }

  /** Takes out one that gave up; false if it was not in. */
  boolean remove(Waiter waiter) {
    boolean removed = flows(waiter).remove(waiter);
    size -= removed ? 1 : 0;
    return removed;
  }

  private Flows flows(Waiter waiter) {
    Flows flows = standings.get(waiter.demand.standing());
    if (flows == null) {
      throw new IllegalStateException("cannot queue " + waiter.demand.standing());
    }
    return flows;
  }

  /** The flows of one standing, each first come, first served. */
  private static final class Flows {

    private static final class Flow {
      private final Deque<Waiter> waiters = new ArrayDeque<>();
      // What the flow has had, divided by its weight.
      private double served;

      Flow(double served) {
        this.served = served;
      }
    }

    private final Map<String, Flow> byName = new LinkedHashMap<>();
    // Where a flow that comes or comes back starts: it gets no credit for its absence.
    private double now;

    void add(Waiter waiter) {
      byName.computeIfAbsent(waiter.demand.flow(), _ -> new Flow(now)).waiters.add(waiter);
    }

    @Nullable Waiter peek() {
      Flow next = null;
      for (Flow flow : byName.values()) {
        if (next == null || flow.served < next.served) {
          next = flow;
        }
      }
      return next == null ? null : next.waiters.getFirst();
    }

    void grant(Waiter waiter) {
      Flow flow = byName.get(waiter.demand.flow());
      if (flow != null) {
        now = flow.served;
        flow.served += 1 / waiter.demand.weight();
      }
      remove(waiter);
    }

    boolean remove(Waiter waiter) {
      Flow flow = byName.get(waiter.demand.flow());
      if (flow == null || !flow.waiters.remove(waiter)) {
        return false;
      }
      if (flow.waiters.isEmpty()) {
        byName.remove(waiter.demand.flow());
      }
      return true;
    }
  }
}

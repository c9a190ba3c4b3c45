package dev.weir.limits;

import dev.weir.limits.Demand.Standing;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who is next: the most urgent standing, and within it the flow that has had least for its weight,
 * and within that who came first.
 *
 * <p>Before all of them come those that have kept their place in the window: whoever waited for
 * that place would wait for ever behind it.
 *
 * <p>Waiting moves a request up by one standing every 30 s, so none starves. Not thread-safe.
 */
final class FairQueue {

  private static final double AGEING_NANOS = 30e9;

  private final Map<Standing, Flows> standings = new EnumMap<>(Standing.class);
  private final SequencedSet<Waiter> returning = new LinkedHashSet<>();
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(Waiter waiter) {
    size++;
    if (waiter.kept != null) {
      returning.add(waiter);
      return;
    }
    standings.computeIfAbsent(waiter.demand.standing(), _ -> new Flows()).add(waiter);
  }

  /** The next one, if any; it stays in the queue. */
  @Nullable Waiter peek(long now) {
    if (!returning.isEmpty()) {
      return returning.getFirst();
    }
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
    remove(waiter, 1 / waiter.demand.weight());
  }

  /** Takes out one that gave up; without effect if it is not in. */
  void remove(Waiter waiter) {
    remove(waiter, 0);
  }

  private void remove(Waiter waiter, double charge) {
    Flows flows = standings.get(waiter.demand.standing());
    if (returning.remove(waiter) || (flows != null && flows.remove(waiter, charge))) {
      size--;
    }
  }

  void forEach(Consumer<Waiter> action) {
    returning.forEach(action);
    standings
        .values()
        .forEach(flows -> flows.byName.values().forEach(flow -> flow.waiters.forEach(action)));
  }

  /** One on whose signal a task sleeps, if any. */
  @Nullable Waiter awaited() {
    for (Waiter waiter : returning) {
      if (waiter.awaited) {
        return waiter;
      }
    }
    for (Flows flows : standings.values()) {
      for (Flow flow : flows.byName.values()) {
        for (Waiter waiter : flow.waiters) {
          if (waiter.awaited) {
            return waiter;
          }
        }
      }
    }
    return null;
  }

  /** What one task or client asks for, first come, first served. */
  private static final class Flow {
    private final String name;
    private final long number;
    private final SequencedSet<Waiter> waiters = new LinkedHashSet<>();
    // What the flow has had, divided by its weight.
    private double served;

    Flow(String name, long number, double served) {
      this.name = name;
      this.number = number;
      this.served = served;
    }
  }

  /** The flows of one standing. */
  private static final class Flows {

    private static final Comparator<Flow> LEAST_SERVED =
        Comparator.<Flow>comparingDouble(flow -> flow.served)
            .thenComparingLong(flow -> flow.number);

    private final Map<String, Flow> byName = new HashMap<>();
    private final PriorityQueue<Flow> order = new PriorityQueue<>(LEAST_SERVED);
    private long created;
    // Where a flow that comes or comes back starts: it gets no credit for its absence.
    private double level;

    void add(Waiter waiter) {
      Flow flow = byName.get(waiter.demand.flow());
      if (flow == null) {
        flow = new Flow(waiter.demand.flow(), created++, level);
        byName.put(flow.name, flow);
        order.add(flow);
      }
      flow.waiters.add(waiter);
    }

    @Nullable Waiter peek() {
      Flow next = order.peek();
      return next == null ? null : next.waiters.getFirst();
    }

    /** False if it was not in. */
    boolean remove(Waiter waiter, double charge) {
      Flow flow = byName.get(waiter.demand.flow());
      if (flow == null || !flow.waiters.remove(waiter)) {
        return false;
      }
      if (charge > 0) {
        level = flow.served;
      }
      if (charge > 0 || flow.waiters.isEmpty()) {
        order.remove(flow);
        flow.served += charge;
        if (flow.waiters.isEmpty()) {
          byName.remove(flow.name);
        } else {
          order.add(flow);
        }
      }
      return true;
    }
  }
}

package dev.weir.limits;

import dev.weir.limits.Waiter.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who is next: of the flow that has had least for its weight, the request of the most urgent
 * standing, and of these who came first. A flow that has much in progress does not keep others from
 * beginning.
 *
 * <p>Before all of them come those that have kept their place in the window: whoever waited for
 * that place would wait for ever behind it.
 *
 * <p>Waiting moves a request up by one standing every 30 s, so none starves. Not thread-safe.
 */
final class FairQueue {

  private static final double AGEING_NANOS = 30e9;

  /** Flows without a request are kept, but no more than these. */
  private static final int MOST_IDLE = 100;

  private final Line returning = new Line();
  private final Map<String, Flow> byName = new HashMap<>();
  // Those with a request.
  private final PriorityQueue<Flow> order = new PriorityQueue<>();
  private long created;
  // Where a flow that comes or comes back starts: it gets no credit for its absence.
  private double level;
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
    Flow flow = byName.get(waiter.demand.flow());
    if (flow == null) {
      flow = new Flow(waiter.demand.flow(), created++);
      byName.put(flow.name, flow);
    }
    boolean isBack = flow.isIdle();
    flow.lines.get(waiter.demand.standing().rank()).add(waiter);
    if (isBack) {
      flow.served = Math.max(flow.served, level);
      order.add(flow);
    }
  }

  /** The next one, if any; it stays in the queue. */
  @Nullable Waiter peek(long now) {
    if (returning.first != null) {
      return returning.first;
    }
    Flow next = order.peek();
    return next == null ? null : next.peek(now);
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
    Line line = waiter.line;
    if (line == null) {
      return;
    }
    size--;
    line.remove(waiter);
    Flow flow = byName.get(waiter.demand.flow());
    if (line.equals(returning) || flow == null || (charge == 0 && !flow.isIdle())) {
      return;
    }
    order.remove(flow);
    if (charge > 0) {
      level = flow.served;
      flow.served += charge;
    }
    if (!flow.isIdle()) {
      order.add(flow);
    } else if (byName.size() - order.size() > MOST_IDLE) {
      byName.values().removeIf(Flow::isIdle);
    }
  }

  /** Those that have kept their place wait like all others from now on. */
  void leavePlaces(Consumer<@Nullable Place> release) {
    for (Waiter waiter = returning.first; waiter != null; waiter = returning.first) {
      remove(waiter);
      release.accept(waiter.kept);
      waiter.kept = null;
      add(waiter);
    }
  }

  void forEach(Consumer<Waiter> action) {
    find(
        waiter -> {
          action.accept(waiter);
          return false;
        });
  }

  /** The first of any line that is such, if there is one. */
  @Nullable Waiter find(Predicate<Waiter> such) {
    Waiter found = returning.find(such);
    for (Flow flow : byName.values()) {
      for (Line line : flow.lines) {
        found = found == null ? line.find(such) : found;
      }
    }
    return found;
  }

  /**
   * First come, first served. Threaded through the waiters: one comes and goes with every request
   * that waits, and may give up anywhere in the line.
   */
  static final class Line {
    private @Nullable Waiter first;
    private @Nullable Waiter last;

    void add(Waiter waiter) {
      waiter.line = this;
      waiter.before = last;
      if (last == null) {
        first = waiter;
      } else {
        last.behind = waiter;
      }
      last = waiter;
    }

    void remove(Waiter waiter) {
      Waiter before = waiter.before;
      Waiter behind = waiter.behind;
      if (before == null) {
        first = behind;
      } else {
        before.behind = behind;
      }
      if (behind == null) {
        last = before;
      } else {
        behind.before = before;
      }
      waiter.line = null;
      waiter.before = null;
      waiter.behind = null;
    }

    @Nullable Waiter find(Predicate<Waiter> such) {
      for (Waiter waiter = first; waiter != null; waiter = waiter.behind) {
        if (such.test(waiter)) {
          return waiter;
        }
      }
      return null;
    }
  }

  /** What one task or client asks for. */
  private static final class Flow implements Comparable<Flow> {
    private final String name;
    private final long number;
    // By the rank of the standing.
    private final List<Line> lines = new ArrayList<>();
    // What the flow has had, divided by its weight.
    private double served;

    Flow(String name, long number) {
      this.name = name;
      this.number = number;
      for (Demand.Standing _ : Demand.Standing.values()) {
        lines.add(new Line());
      }
    }

    boolean isIdle() {
      for (Line line : lines) {
        if (line.first != null) {
          return false;
        }
      }
      return true;
    }

    @Nullable Waiter peek(long now) {
      Waiter next = null;
      double nextRank = Double.POSITIVE_INFINITY;
      for (int rank = 0; rank < lines.size(); rank++) {
        Waiter candidate = lines.get(rank).first;
        if (candidate != null) {
          double aged = rank - (now - candidate.since) / AGEING_NANOS;
          if (aged < nextRank) {
            next = candidate;
            nextRank = aged;
          }
        }
      }
      return next;
    }

    /** The least served first; among equals, who is known longest. */
    @Override
    public int compareTo(Flow other) {
      int order = Double.compare(served, other.served);
      return order == 0 ? Long.compare(number, other.number) : order;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(number);
    }
  }
}

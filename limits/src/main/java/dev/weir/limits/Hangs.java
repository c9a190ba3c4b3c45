package dev.weir.limits;

import dev.weir.time.Signal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The attempts of a lane that may hang, by the kind of their request. Guarded by the lock of the
 * regulator.
 */
final class Hangs {

  /** Kinds are made of settings, and a program may vary those without end. */
  private static final int MOST_KINDS = 100;

  /** Attempts look again when their bound has become so much shorter: not after each answer. */
  private static final double NOTABLY_SHORTER = 0.9;

  private final Map<Demand.Kind, Kind> kinds = new LinkedHashMap<>(16, 0.75f, true);
  private long abandoned;
  private long lastAfterNanos;

  /** Requests of one kind. */
  private static final class Kind {
    final HangBound bound;
    final Set<Flight> inFlight = new LinkedHashSet<>();
    // What those in flight last went by.
    long announced;

    Kind(boolean reasons) {
      this.bound = new HangBound(reasons);
      this.announced = bound.nanos();
    }
  }

  /** An attempt in flight. Each is only equal to itself. */
  static final class Flight {
    final Signal signal;
    private final Kind kind;
    private final long begin;
    private final List<Duration> abandonedBefore;

    private Flight(Signal signal, Kind kind, long begin, List<Duration> abandonedBefore) {
      this.signal = signal;
      this.kind = kind;
      this.begin = begin;
      this.abandonedBefore = abandonedBefore;
    }

    /** When it is abandoned, as things are now, unless its answer begins to arrive. */
    long boundAt() {
      return begin + kind.bound.nanos(abandonedBefore.size());
    }
  }

  /**
   * An attempt begins.
   *
   * @param signal is sent when its bound has become shorter
   * @param abandonedBefore after how long each attempt of the same request was abandoned
   */
  Flight begin(Demand.Kind name, Signal signal, long now, List<Duration> abandonedBefore) {
    Kind kind = kinds.computeIfAbsent(name, made -> new Kind(made.reasons()));
    if (kinds.size() > MOST_KINDS) {
      kinds.values().stream()
          .filter(idle -> idle.inFlight.isEmpty() && idle != kind)
          .findFirst()
          .ifPresent(idle -> kinds.values().remove(idle));
    }
    var flight = new Flight(signal, kind, now, List.copyOf(abandonedBefore));
    kind.inFlight.add(flight);
    return flight;
  }

  /** It ended without an answer, which says nothing of how long answers take. */
  void end(Flight flight) {
    flight.kind.inFlight.remove(flight);
  }

  void answered(Flight flight, long now, List<Signal> woken) {
    end(flight);
    long latency = now - flight.begin;
    for (Duration before : flight.abandonedBefore) {
      if (latency < before.toNanos()) {
        flight.kind.bound.correct(before.toNanos(), latency);
      }
    }
    took(flight, latency, woken);
  }

  /**
   * Its bound has passed.
   *
   * @return how long it was waited for
   */
  Duration abandon(Flight flight, long now, List<Signal> woken) {
    end(flight);
    abandoned++;
    lastAfterNanos = now - flight.begin;
    took(flight, lastAfterNanos, woken);
    return Duration.ofNanos(lastAfterNanos);
  }

  private static void took(Flight flight, long latency, List<Signal> woken) {
    Kind kind = flight.kind;
    kind.bound.took(latency);
    long bound = kind.bound.nanos();
    if (bound <= NOTABLY_SHORTER * kind.announced) {
      kind.inFlight.forEach(other -> woken.add(other.signal));
      kind.announced = bound;
    } else if (bound > kind.announced) {
      // Those in flight notice when they look.
      kind.announced = bound;
    }
  }

  void wakeAll(List<Signal> woken) {
    kinds.values().forEach(kind -> kind.inFlight.forEach(flight -> woken.add(flight.signal)));
  }

  /** It is interrupted although its bound has not passed. */
  static Duration since(Flight flight, long now) {
    return Duration.ofNanos(now - flight.begin);
  }

  long abandoned() {
    return abandoned;
  }

  /** How long the last one was waited for that was abandoned. */
  long lastAfterNanos() {
    return lastAfterNanos;
  }
}

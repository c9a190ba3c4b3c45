package dev.weir.limits;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * The lanes of a run, and what they share: a bound on all calls in flight, and a least gap between
 * them.
 *
 * <p>One lock guards all lanes: admission is all or nothing over the whole path. A throttled lane
 * delays no other: it holds nothing while it waits.
 *
 * <p>Thread-safe.
 */
public final class Regulator {

  final Time time;
  final RandomGenerator random;
  private final OptionalInt maxConcurrency;
  private final long delayNanos;

  // Guarded by this.
  private final List<Lane> lanes = new ArrayList<>();
  private int inFlight;
  private long nextStartAt;
  private int firstServed;

  /**
   * @param maxConcurrency calls in flight over all lanes; absent for no bound
   * @param delay the least time between two starts; zero for none
   * @param random spreads waits; used under the lock
   */
  public Regulator(Time time, OptionalInt maxConcurrency, Duration delay, RandomGenerator random) {
    if (maxConcurrency.isPresent() && maxConcurrency.getAsInt() < 1) {
      throw new IllegalArgumentException(
          "`maxConcurrency` must be >= 1, was " + maxConcurrency.getAsInt());
    }
    if (delay.isNegative()) {
      throw new IllegalArgumentException("`delay` must be >= 0, was " + delay);
    }
    this.time = time;
    this.maxConcurrency = maxConcurrency;
    this.delayNanos = delay.toNanos();
    this.random = random;
  }

  /** Without a bound or a gap over all lanes. */
  public static Regulator unbounded(Time time, RandomGenerator random) {
    return new Regulator(time, OptionalInt.empty(), Duration.ZERO, random);
  }

  /**
   * Adds a lane.
   *
   * @param name what it regulates, for people: {@code "openai/gpt-4o"}
   */
  public Lane lane(String name, Mode mode) {
    var lane = new Lane(this, name, FlowControl.of(mode, random, time.nanos()));
    synchronized (this) {
      lanes.add(lane);
    }
    return lane;
  }

  /** Nanoseconds until anything may start; called under the lock. */
  long sharedWait(long now) {
    if (maxConcurrency.isPresent() && inFlight >= maxConcurrency.getAsInt()) {
      return FlowControl.UNTIL_ANSWERED;
    }
    return Math.max(0, nextStartAt - now);
  }

  /** Called under the lock. */
  void started(long now) {
    inFlight++;
    nextStartAt = now + delayNanos;
  }

  /** Called under the lock. */
  void ended() {
    inFlight--;
  }

  /**
   * Grants what can be granted; called under the lock.
   *
   * @return whom to wake once the lock is left
   */
  List<Signal> dispatch(long now) {
    List<Signal> woken = new ArrayList<>();
    // Lanes take turns at being first, or the first would take all of a scarce bound.
    firstServed = lanes.isEmpty() ? 0 : (firstServed + 1) % lanes.size();
    for (int i = 0; i < lanes.size(); i++) {
      lanes.get((firstServed + i) % lanes.size()).dispatch(now, woken);
    }
    return woken;
  }
}

package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.CapState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Recognises a limit on how many requests may be under way, which looks like any other refusal.
 *
 * <p>Four refusals in a row at the very top of the in-flight range, in one narrow band, with
 * nothing accepted above: a cap, not a rate. It is probed by one more after 20 s, then ever more
 * rarely; a refusal far below it withdraws it.
 */
final class ConcurrencyCap {

  private static final int REFUSALS_NEEDED = 4;
  private static final int ACCEPTED_NEEDED = 30;
  private static final double FIRST_PROBE_GAP_SECONDS = 20;
  private static final double SHORTEST_PROBE_GAP_SECONDS = 2.5;
  private static final double LONGEST_PROBE_GAP_SECONDS = 120;
  private static final double REQUESTS_BETWEEN_PROBES = 60;
  private static final int MOST_STEP = 6;
  private static final double EXPLAINED_ABOVE = 0.85;

  /** Below a real cap, refusals are rare: probes and races. More than these mean it is none. */
  private static final int EXPLAINED_REFUSALS = 8;

  private static final double EXPLAINED_SECONDS = 10;

  private static final int CLEAR_REFUSALS_NEEDED = 3;
  private static final int CLEAR_ACCEPTED_NEEDED = 6;
  private static final double NARROW = 0.05;

  /** An answer on its way is still in flight for us, and not for the provider. */
  private static final double RACES = 0.02;

  private static final double SMALL_RACES = 0.1;
  private static final int SMALL = 16;

  static final int NONE = Integer.MAX_VALUE;

  private int cap;
  private boolean met;
  private double probeAt;
  private double probeGap;

  /** By how many the last probe raised it, if it was not refused; else 0. */
  private int step;

  private final Deque<Integer> refusedAt;
  private final Deque<Double> explainedAt;

  ConcurrencyCap() {
    this(new CapState(NONE, false, Double.NaN, FIRST_PROBE_GAP_SECONDS, 0, List.of(), List.of()));
  }

  ConcurrencyCap(CapState state) {
    this.cap = state.cap();
    this.met = state.met();
    this.probeAt = state.probeAt();
    this.probeGap = state.probeGap();
    this.step = state.step();
    this.refusedAt = new ArrayDeque<>(state.refusedAt());
    this.explainedAt = new ArrayDeque<>(state.explainedAt());
  }

  CapState state() {
    return new CapState(
        cap, met, probeAt, probeGap, step, List.copyOf(refusedAt), List.copyOf(explainedAt));
  }

  int cap() {
    return cap;
  }

  /** A cap that an earlier run met. */
  void startAt(int known) {
    cap = known;
  }

  /** Whether a refusal in this run speaks for it. */
  boolean wasMet() {
    return met && cap != NONE;
  }

  /**
   * Takes in that a request was refused with room below the cap, and that no other one can have
   * overtaken it: what is under way at the provider is never more than what is under way here. So
   * something else refused it, and what looked like a cap was that.
   *
   * @return whether it withdraws the cap
   */
  boolean contradicted(int inFlightBefore) {
    if (cap == NONE || inFlightBefore >= cap - step) {
      return false;
    }
    withdraw();
    return true;
  }

  private void withdraw() {
    cap = NONE;
    step = 0;
    refusedAt.clear();
    explainedAt.clear();
  }

  /** The provider said in words that it limits concurrency. */
  void told(int inFlightBefore) {
    met = true;
    cap = Math.max(1, Math.min(cap, inFlightBefore));
    probeAt = Double.NaN;
  }

  /**
   * A request waits because the window is full: now and then, one more is tried.
   *
   * @param perSecond requests that leave in a second: a probe costs a refusal, which many of them
   *     have to be worth
   */
  void bound(double now, double perSecond) {
    if (cap == NONE) {
      return;
    }
    if (Double.isNaN(probeAt)) {
      double worth = Math.min(REQUESTS_BETWEEN_PROBES / perSecond, LONGEST_PROBE_GAP_SECONDS);
      probeGap = Math.max(probeGap, worth);
      probeAt = now + probeGap;
    } else if (now >= probeAt) {
      if (step > 0) {
        // More were under way since the last probe, and none was refused: it may be no cap at all.
        probeGap = Math.max(probeGap / 2, SHORTEST_PROBE_GAP_SECONDS);
        step = Math.min(Math.min(2 * step, (cap + 1) / 2), MOST_STEP);
      } else {
        step = 1;
      }
      cap += step;
      probeAt = now + probeGap;
    }
  }

  /**
   * A refusal that nothing else explains.
   *
   * @return whether the cap explains it
   */
  boolean explains(double now, int inFlightBefore) {
    if (cap == NONE) {
      return false;
    }
    explainedAt.add(now);
    while (explainedAt.getFirst() < now - EXPLAINED_SECONDS) {
      explainedAt.removeFirst();
    }
    // A probe of one more is refused with one less in flight than it allows, or overtakes another
    // request that is refused in its place.
    int proven = cap - step;
    // Without a probe, there is no cap to run into with nothing in flight.
    double least =
        step > 0
            ? Math.min(EXPLAINED_ABOVE * proven, proven - 1.0)
            : Math.max(1, Math.min(EXPLAINED_ABOVE * proven, proven - 2.0));
    if (inFlightBefore >= least && explainedAt.size() <= EXPLAINED_REFUSALS) {
      met = true;
      cap = Math.max(1, Math.min(cap, Math.max(inFlightBefore, cap - Math.max(1, step))));
      probeGap = step > 0 ? Math.min(2 * probeGap, LONGEST_PROBE_GAP_SECONDS) : probeGap;
      step = 0;
      probeAt = now + probeGap;
      return true;
    }
    // Refused far below, or again and again: it was a rate after all.
    withdraw();
    return false;
  }

  /**
   * The first refusal of an episode.
   *
   * @return whether it completes the evidence for a cap
   */
  boolean recognises(double now, int inFlightBefore, InFlightLog log) {
    refusedAt.add(inFlightBefore);
    if (refusedAt.size() > REFUSALS_NEEDED) {
      refusedAt.removeFirst();
    }
    int low = refusedAt.stream().mapToInt(Integer::intValue).min().orElseThrow();
    int high = refusedAt.stream().mapToInt(Integer::intValue).max().orElseThrow();
    int[] accepted = log.acceptedInFlight(now);
    boolean narrow = high - low <= Math.max(1, NARROW * low);
    if (low >= 1 && narrow && refusedAt.size() >= CLEAR_REFUSALS_NEEDED && isClear(low, accepted)) {
      return recognised(low);
    }
    if (refusedAt.size() < REFUSALS_NEEDED || accepted.length < ACCEPTED_NEEDED) {
      return false;
    }
    boolean atTheTop =
        low >= accepted[(int) (accepted.length * 0.98)]
            && accepted[accepted.length - 1] <= high + 2
            && accepted[accepted.length / 2] < 0.93 * low;
    if (!atTheTop || high - low > Math.max(1, 0.2 * deviation(accepted))) {
      return false;
    }
    return recognised(low);
  }

  private boolean recognised(int count) {
    met = true;
    cap = Math.max(1, count);
    probeAt = Double.NaN;
    probeGap = FIRST_PROBE_GAP_SECONDS;
    step = 0;
    return true;
  }

  /**
   * All that was let through lies below what was refused, and comes right up to it: with a rate,
   * that is rare.
   */
  private static boolean isClear(int low, int[] accepted) {
    int above = 0;
    int touching = 0;
    for (int inFlight : accepted) {
      above += inFlight >= low ? 1 : 0;
      touching += inFlight == low - 1 ? 1 : 0;
    }
    return accepted.length >= CLEAR_ACCEPTED_NEEDED
        && above <= (low <= SMALL ? SMALL_RACES : RACES) * accepted.length
        && touching >= 1;
  }

  private static double deviation(int[] values) {
    double mean = 0;
    for (int value : values) {
      mean += value;
    }
    mean /= values.length;
    double squares = 0;
    for (int value : values) {
      squares += (value - mean) * (value - mean);
    }
    return Math.sqrt(squares / values.length);
  }
}

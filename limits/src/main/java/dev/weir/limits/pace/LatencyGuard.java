package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.GuardState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Stops growing when latency rises and throughput does not: a server that queues never says no.
 *
 * <p>Only where latency is the sole signal: nothing was advertised and nothing ever refused. The
 * baseline is the median of the first requests that were sent, not of the first that came back:
 * those are the short ones.
 */
final class LatencyGuard {

  private static final int BASELINE_SENT = 24;
  private static final int BASELINE_ANSWERED = 20;
  private static final int RECENT = 40;
  private static final int RECENT_NEEDED = 30;
  private static final double THROUGHPUT_SECONDS = 5;

  /** Bounds the memory of a very fast scope. */
  private static final int ANSWERS_KEPT = 20_000;

  private static final double TOO_SLOW = 1.7;
  private static final double FAST_AGAIN = 1.3;
  private static final int LEAST_WINDOW = 4;

  static final int NONE = Integer.MAX_VALUE;

  private final double startedAt;
  private final double[] first = new double[BASELINE_SENT];
  private int firstSent;
  private int firstAnswered;
  private double baseline;
  private final Deque<Double> recent;
  private final Deque<Double> answeredAt;
  private int window;
  private double restUntil;

  LatencyGuard(double now) {
    this(
        new GuardState(now, List.of(), 0, 0, List.of(), List.of(), NONE, Double.NEGATIVE_INFINITY));
  }

  LatencyGuard(GuardState state) {
    this.startedAt = state.startedAt();
    for (double latency : state.first()) {
      first[firstSent++] = latency;
    }
    this.firstAnswered = state.firstAnswered();
    this.baseline = state.baseline();
    this.recent = new ArrayDeque<>(state.recent());
    this.answeredAt = new ArrayDeque<>(state.answeredAt());
    this.window = state.window();
    this.restUntil = state.restUntil();
  }

  GuardState state() {
    List<Double> latencies = new ArrayList<>();
    for (int i = 0; i < firstSent; i++) {
      latencies.add(first[i]);
    }
    return new GuardState(
        startedAt,
        latencies,
        firstAnswered,
        baseline,
        List.copyOf(recent),
        List.copyOf(answeredAt),
        window,
        restUntil);
  }

  int window() {
    return window;
  }

  /**
   * @return the number of this request among the first ones, or -1: hand it back when answered
   */
  int sent() {
    if (firstSent == BASELINE_SENT) {
      return -1;
    }
    first[firstSent] = Double.POSITIVE_INFINITY;
    return firstSent++;
  }

  /** The last one that was counted has not left. */
  void unsend(int number) {
    if (number >= 0 && number == firstSent - 1) {
      firstSent--;
    }
  }

  /**
   * @return whether the guard has just narrowed the window
   */
  boolean answered(double now, double latencySeconds, int number, int inFlight) {
    recent.add(latencySeconds);
    if (recent.size() > RECENT) {
      recent.removeFirst();
    }
    answeredAt.add(now);
    while (answeredAt.getFirst() < now - THROUGHPUT_SECONDS || answeredAt.size() > ANSWERS_KEPT) {
      answeredAt.removeFirst();
    }
    if (number >= 0) {
      first[number] = latencySeconds;
      firstAnswered++;
    }
    if (baseline == 0) {
      if (firstSent == BASELINE_SENT && firstAnswered >= BASELINE_ANSWERED) {
        double[] sorted = first.clone();
        Arrays.sort(sorted);
        baseline = sorted[BASELINE_SENT / 2];
      }
      return false;
    }
    if (recent.size() < RECENT_NEEDED || now < restUntil) {
      return false;
    }
    double throughput = throughput(now);
    boolean crowded = inFlight > 1.5 * throughput * baseline + 4;
    boolean bound = window != NONE && inFlight >= window - 1;
    if (!crowded && !bound) {
      // The usual case, and a median costs more than all the rest of an answer.
      return false;
    }
    double median = median();
    if (crowded && median > TOO_SLOW * baseline) {
      window = Math.max(LEAST_WINDOW, (int) (1.3 * throughput * baseline) + 2);
      recent.clear();
      restUntil = now + 4 * baseline;
      return true;
    }
    if (bound && median < FAST_AGAIN * baseline) {
      window = (int) (window * 1.1) + 1;
      restUntil = now + 4 * baseline;
    }
    return false;
  }

  private double throughput(double now) {
    double span = Math.min(THROUGHPUT_SECONDS, Math.max(now - startedAt, 1));
    if (answeredAt.size() == ANSWERS_KEPT) {
      span = Math.min(span, Math.max(now - answeredAt.getFirst(), 1e-3));
    }
    return answeredAt.size() / span;
  }

  private double median() {
    double[] sorted = new double[recent.size()];
    int filled = 0;
    for (double latency : recent) {
      sorted[filled++] = latency;
    }
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}

package dev.weir.benchmarks.promises;

import dev.weir.simulator.provider.Attempt;
import dev.weir.simulator.provider.RecordedRun;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * What the provider and the network saw of a run. Nothing here asks the client.
 *
 * @param oneWayDelay the median time of a message
 */
record Traffic(RecordedRun run, Duration oneWayDelay) {

  private static final double SECOND = 1e9;

  /** Refusals that finding out a limit may cost. */
  private static final double FREE_REFUSALS = 20;

  private static final double REFUSED_SHARE = 0.02;

  /** Attempts that may be refused after the first refusal of an episode arrived. */
  private static final int FURTHER = 3;

  /** A gap between probes may be so much shorter than twice the one before. */
  private static final double GAP_TOLERANCE = 0.75;

  private static final double LONGEST_GAP_NANOS = 60 * SECOND;

  List<Attempt> attempts() {
    return run.attempts();
  }

  int refusals() {
    return run.provider().refusals();
  }

  double seconds() {
    return run.makespan().toNanos() / SECOND;
  }

  /** How long it takes at most until a refusal is back: jitter and a busy provider included. */
  double longestRoundTripNanos() {
    return 2.3 * oneWayDelay.toNanos() + 0.05 * SECOND;
  }

  /** The refusals that a run may have had with these falls of its limit. */
  double allowedRefusals(List<Fall> falls) {
    double allowed = FREE_REFUSALS + REFUSED_SHARE * attempts().size() + run.provider().strays();
    for (Fall fall : falls) {
      allowed += Math.min(alreadySent(fall), mostAlreadySent(fall));
      allowed += fall.blackout() ? FURTHER + fall.probes() : 0;
    }
    return allowed;
  }

  /** The refused attempts that had been sent when the first refusal after a fall arrived. */
  int alreadySent(Fall fall) {
    long firstReceived = firstRefusalReceived(fall.at(), fall.until());
    return count(
        attempt ->
            attempt.isRefused()
                && isWithin(attempt.arrivedAt(), fall.at(), fall.until())
                && attempt.sentAt() <= firstReceived);
  }

  /** The refused attempts of a fall that were sent after its first refusal arrived. */
  int sentAfterRefusal(Fall fall) {
    long firstReceived = firstRefusalReceived(fall.at(), fall.until());
    return count(
        attempt ->
            attempt.isRefused()
                && isWithin(attempt.arrivedAt(), fall.at(), fall.until())
                && attempt.sentAt() > firstReceived);
  }

  /** The rate before the fall times a round trip, with room for its unevenness. */
  private double mostAlreadySent(Fall fall) {
    double before = countArrived(fall.at() - (long) (2 * SECOND), fall.at(), _ -> true) / 2.0;
    return 2 + 1.5 * before * longestRoundTripNanos() / SECOND;
  }

  /** When the first refusal that was decided in a span reached the client. */
  long firstRefusalReceived(long from, long until) {
    return attempts().stream()
        .filter(attempt -> attempt.isRefused() && isWithin(attempt.arrivedAt(), from, until))
        .mapToLong(Attempt::receivedAt)
        .min()
        .orElse(Attempt.NEVER);
  }

  int countArrived(long from, long until, Predicate<Attempt> which) {
    return count(attempt -> isWithin(attempt.arrivedAt(), from, until) && which.test(attempt));
  }

  /**
   * Seconds from a time until the provider admits 90 % of a rate for a while; infinite if never.
   */
  double secondsUntilAdmitted(double perSecond, long from, double windowSeconds) {
    long[] admitted =
        attempts().stream().filter(Attempt::isAdmitted).mapToLong(Attempt::arrivedAt).toArray();
    int wanted = (int) Math.ceil(0.9 * perSecond * windowSeconds);
    int first = 0;
    while (first < admitted.length && admitted[first] < from) {
      first++;
    }
    for (int i = first; i + wanted - 1 < admitted.length; i++) {
      if (admitted[i + wanted - 1] - admitted[i] <= windowSeconds * SECOND) {
        return (admitted[i] - from) / SECOND;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  /** Seconds from a time until the last so many seconds carry 90 % of a rate; infinite if never. */
  double secondsUntilCarried(double perSecond, long from, double windowSeconds) {
    return secondsUntilAdmitted(perSecond, from, windowSeconds) + windowSeconds;
  }

  /**
   * Attempts in each of at most 120 equal parts of the run: admitted, and refused after a minus.
   */
  String timeline() {
    long end = attempts().isEmpty() ? 0 : attempts().getLast().arrivedAt();
    long step = Math.max((long) SECOND, end / 120 + 1);
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "  %d attempts, %d refused, %d strays, makespan %.1f s; admitted-refused in %.1f s:%n",
            attempts().size(),
            refusals(),
            run.provider().strays(),
            seconds(),
            step / SECOND));
    for (long at = 0; at <= end; at += step) {
      int refused = countArrived(at, at + step, Attempt::isRefused);
      text.append(
              at / step % 10 == 0 ? String.format(Locale.ROOT, "%n  %7.1f s ", at / SECOND) : "")
          .append(' ')
          .append(countArrived(at, at + step, Attempt::isAdmitted))
          .append(refused == 0 ? "" : "-" + refused);
    }
    text.append(String.format(Locale.ROOT, "%n  refused, sent at:"));
    attempts().stream()
        .filter(Attempt::isRefused)
        .limit(200)
        .forEach(
            attempt -> text.append(String.format(Locale.ROOT, " %.2f", attempt.sentAt() / SECOND)));
    return text.append(System.lineSeparator()).toString();
  }

  /** When the client had sent so many attempts after a time. */
  long sent(int number, long from) {
    return attempts().stream()
        .mapToLong(Attempt::sentAt)
        .filter(sentAt -> sentAt >= from)
        .sorted()
        .skip(number - 1L)
        .findFirst()
        .orElse(Attempt.NEVER);
  }

  /**
   * The most attempts of an episode that were sent after its first refusal arrived and refused, and
   * that were no probes. An episode lasts until an attempt is admitted that was sent after its
   * first refusal arrived. A probe is sent when no other such attempt is pending, at least 60 s
   * after the one before, or after twice as long a gap as the one before it.
   */
  int mostRefusedBesideProbes() {
    List<Attempt> bySending =
        attempts().stream().sorted(Comparator.comparingLong(Attempt::sentAt)).toList();
    int most = 0;
    int index = 0;
    long ended = 0;
    while (index < bySending.size()) {
      Attempt first = bySending.get(index);
      if (!first.isRefused() || first.sentAt() < ended) {
        index++;
        continue;
      }
      // Of those in flight together, another one may be back earlier.
      long opened = first.receivedAt();
      for (int i = index; i < bySending.size() && bySending.get(i).sentAt() <= opened; i++) {
        if (bySending.get(i).isRefused()) {
          opened = Math.min(opened, bySending.get(i).receivedAt());
        }
      }
      int beside = 0;
      long lastSent = opened;
      long lastReceived = opened;
      double lastGap = 0;
      int at = index;
      while (at < bySending.size() && bySending.get(at).sentAt() <= opened) {
        at++;
      }
      while (at < bySending.size() && bySending.get(at).isRefused()) {
        Attempt later = bySending.get(at);
        double gap = later.sentAt() - lastSent;
        boolean alone = later.sentAt() >= lastReceived;
        boolean spaced =
            gap >= GAP_TOLERANCE * Math.min(LONGEST_GAP_NANOS, Math.max(SECOND, 2 * lastGap));
        if (!alone || !spaced) {
          beside++;
        } else {
          lastGap = gap;
        }
        lastSent = later.sentAt();
        lastReceived = Math.max(lastReceived, later.receivedAt());
        at++;
      }
      most = Math.max(most, beside);
      ended = at < bySending.size() ? bySending.get(at).sentAt() : Long.MAX_VALUE;
      index = Math.max(index + 1, at);
    }
    return most;
  }

  private int count(Predicate<Attempt> which) {
    return (int) attempts().stream().filter(which).count();
  }

  private static boolean isWithin(long time, long from, long until) {
    return time >= from && time < until;
  }
}

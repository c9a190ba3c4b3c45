package dev.weir.limits;

import java.time.Duration;

/**
 * The failures of one request, and whether they are its own fault. It is poisoned when it has
 * failed often and for long, and between any two of its failures others succeeded.
 *
 * <pre>
 *   the gap since its last failure          the failure
 *   5 others succeeded, under 20 % failed   counts
 *   20 % or more failed                     is the provider's: a new series begins
 *   fewer than 5 succeeded                  does not count, and the gap continues
 *   all that are left fail                  counts: for a suspect as usual, else it takes hours
 * </pre>
 *
 * <p>A plain object: no clock, no lock.
 */
final class FailureRecord {

  static final Duration SHORTEST_SPAN = Duration.ofMinutes(10);

  /** Where no other request shows that the provider is well: longer than most outages last. */
  static final Duration SHORTEST_SPAN_ALONE = Duration.ofHours(6);

  private static final double UNWELL_SHARE = 0.2;

  /** Failures beside successes of others after which a request is a suspect. */
  private static final int SUSPECTED = 3;

  private final int attemptsToPoison;
  private int counted;
  private boolean suspect;
  // Whether a failure counts that nothing was compared with.
  private boolean alone;
  private boolean poisoned;
  private long firstAt;
  private long lastAt;
  private long peerSuccesses;
  private long peerFailures;

  /**
   * @param attemptsToPoison how many failures it takes; 0 if no number does
   */
  FailureRecord(int attemptsToPoison) {
    this.attemptsToPoison = attemptsToPoison;
  }

  /** An attempt failed, for another reason than a limit or a lack of capacity. */
  void failed(long now, Peers peers) {
    long succeeded = peers.successes() - peerSuccesses;
    long failures = peers.failures() - peerFailures;
    boolean isUnwell = failures > 0 && failures >= UNWELL_SHARE * (failures + succeeded);
    lastAt = now;
    if (succeeded >= Peers.FEWEST_SUCCESSES && !isUnwell && counted > 0 && !alone) {
      counted++;
      suspect |= counted >= SUSPECTED;
    } else if (counted > 0 && (suspect ? peers.areAllSuspicious() : peers.areAllFailing())) {
      counted++;
      alone |= !suspect;
    } else if (counted == 0 || isUnwell || alone) {
      counted = 1;
      firstAt = now;
      suspect = false;
      alone = false;
    } else {
      return;
    }
    peerSuccesses = peers.successes();
    peerFailures = peers.failures();
    Duration span = alone ? SHORTEST_SPAN_ALONE : SHORTEST_SPAN;
    poisoned =
        attemptsToPoison > 0 && counted >= attemptsToPoison && now - firstAt >= span.toNanos();
  }

  /** The failure that was just counted for all is not one of the others. */
  void skipOwnFailure() {
    peerFailures++;
  }

  boolean hasFailed() {
    return counted > 0;
  }

  /** Whether others have succeeded while it failed again and again. */
  boolean isSuspect() {
    return suspect;
  }

  boolean isPoisoned() {
    return poisoned;
  }

  /** Why it is not tried again, for people. */
  String reason() {
    return "it failed %d times in %d min %s"
        .formatted(
            counted,
            Duration.ofNanos(lastAt - firstAt).toMinutes(),
            alone ? "and no other request succeeded meanwhile" : "while other requests succeeded");
  }
}

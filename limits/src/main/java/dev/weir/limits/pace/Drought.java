package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.At;
import dev.weir.limits.pace.PaceState.DroughtState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recognises quotas that come all at once (600 in each calendar minute), and waits for the next.
 *
 * <p>When nothing at all is let through for seconds, no rate is low enough. One request asks now
 * and then; when it is let through, sending resumes at the average rate since the last time, so
 * that a quota of a minute is spread over the minute.
 */
final class Drought {

  /** So many episodes without an accepted request, over so long; less the next time. */
  private static final int EPISODES = 4;

  private static final double SECONDS = 8;

  /** Or a single one that is this long. */
  private static final double LONG_SECONDS = 4;

  private static final int NEXT_EPISODES = 2;
  private static final double NEXT_SECONDS = 1.5;
  private static final double FIRST_GAP_SECONDS = 1;
  private static final double LONGEST_GAP_SECONDS = 5;

  /** A quota that comes all at once brings more than this; less means an overdrawn bucket. */
  private static final double LEAST_HARVEST_UNITS = 30;

  /** A refusal comes faster than this; a request without one by then was let through. */
  static final double REFUSED_BY_NOW_SECONDS = 0.6;

  private int barrenEpisodes;
  private double barrenSince;
  private double gap;
  private double askedAt = Double.NaN;
  private boolean known;
  private boolean distrusted;
  private @Nullable At harvestFrom;

  Drought() {}

  Drought(DroughtState state) {
    this.barrenEpisodes = state.barrenEpisodes();
    this.barrenSince = state.barrenSince();
    this.gap = state.gap();
    this.askedAt = state.askedAt();
    this.known = state.known();
    this.distrusted = state.distrusted();
    this.harvestFrom = state.harvestFrom().orElse(null);
  }

  DroughtState state() {
    return new DroughtState(
        barrenEpisodes,
        barrenSince,
        gap,
        askedAt,
        known,
        distrusted,
        Optional.ofNullable(harvestFrom));
  }

  /**
   * Counts episodes in which nothing was accepted.
   *
   * @return whether a drought begins
   */
  boolean begins(Evidence evidence, double sentAt, double sentBefore, boolean barren) {
    if (distrusted) {
      return false;
    }
    Evidence.Interval interval = evidence.sinceMark(sentAt, sentBefore);
    if (interval == null || interval.accepted() > 0.5 * evidence.unit()) {
      barrenEpisodes = 0;
      barrenSince = sentAt;
      return false;
    }
    barrenEpisodes++;
    double seconds = sentAt - barrenSince;
    boolean begins =
        known
            ? barrenEpisodes >= NEXT_EPISODES && seconds >= NEXT_SECONDS
            : barren
                || (barrenEpisodes >= EPISODES && seconds >= SECONDS)
                || interval.seconds() >= LONG_SECONDS;
    if (begins && isMeagre(evidence, sentAt)) {
      // Refusals that cost quota overdraw a bucket: going on as fast as before would do it again.
      distrusted = true;
      return false;
    }
    if (begins) {
      known = true;
      gap = FIRST_GAP_SECONDS;
    }
    return begins;
  }

  /**
   * The one who asked was refused, or the drought has just begun.
   *
   * @return seconds until the next one may ask
   */
  double goesOn() {
    askedAt = Double.NaN;
    double wait = gap;
    gap = Math.min(gap * 1.5, LONGEST_GAP_SECONDS);
    return wait;
  }

  void asked(double now) {
    askedAt = now;
  }

  /**
   * Whoever asked did not get as far.
   *
   * @return whether it was the last one who asked
   */
  boolean unasked(double sentAt) {
    if (askedAt != sentAt) {
      return false;
    }
    askedAt = Double.NaN;
    return true;
  }

  /** Whether somebody asked and has not been refused. */
  boolean isOver(double now) {
    return now - askedAt >= REFUSED_BY_NOW_SECONDS;
  }

  /**
   * @return what was let through in a second since the end of the drought before
   */
  double end(double now, Evidence evidence) {
    At from = harvestFrom == null ? new At(evidence.firstSentAt(), 0) : harvestFrom;
    double average = evidence.acceptedSince(from, now) / Math.max(now - from.at(), 1e-3);
    harvestFrom = new At(now, evidence.sentUnits());
    barrenEpisodes = 0;
    return Math.max(average, evidence.unitOrOne() / LONGEST_GAP_SECONDS);
  }

  private boolean isMeagre(Evidence evidence, double sentAt) {
    return harvestFrom != null
        && evidence.acceptedSince(harvestFrom, sentAt) < LEAST_HARVEST_UNITS * evidence.unit();
  }
}

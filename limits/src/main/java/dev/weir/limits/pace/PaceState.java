package dev.weir.limits.pace;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import java.util.List;
import java.util.Optional;

/**
 * Everything that mode {@code pace} knows about one scope at one moment: immutable and complete.
 *
 * <p>{@link PaceController#decide} turns one into the next. So it can be replayed in tests, handed
 * to another process, or stored by whoever holds the limits for many. A {@link PaceController} is
 * the same in a form that is fast to change.
 *
 * <p>Times are seconds on the clock of the observations. {@code NaN} stands for a time that is not
 * set, negative infinity for one before everything.
 *
 * @param version of this record; only {@link #VERSION} is understood
 * @param remembered what an earlier run left, until this one knows better
 * @param random where the sequence of chances stands
 * @param announcedRequests the rate of requests that was last made known; 0 if none was
 * @param announcedTokens likewise
 * @param holdUntil the server asked everybody to wait until then
 * @param roundTrip how long an answer takes, smoothed
 * @param underWay requests without an end, oldest first
 * @param sent what was sent lately, oldest first: the evidence for a cap
 * @param news what has happened and was not yet told
 */
public record PaceState(
    int version,
    PaceSettings settings,
    Optional<PaceMemory> remembered,
    long random,
    double announcedRequests,
    double announcedTokens,
    double holdUntil,
    double roundTrip,
    List<Send> underWay,
    List<Send> sent,
    List<QuotaState> quotas,
    RateState requests,
    RateState tokens,
    CircuitState circuit,
    OverloadState overload,
    BackstopState backstop,
    CapState cap,
    GuardState guard,
    SlowStartState slowStart,
    List<LimitEvent> news) {

  /** Grows when a part gains or loses a field. */
  public static final int VERSION = 5;

  public PaceState {
    if (version != VERSION) {
      throw new IllegalArgumentException("`version` must be " + VERSION + ", was " + version);
    }
    underWay = List.copyOf(underWay);
    sent = List.copyOf(sent);
    quotas = List.copyOf(quotas);
    news = List.copyOf(news);
  }

  /**
   * A scope of which nothing is known but what its user states.
   *
   * @param seed of the chances that keep processes from acting together
   */
  public static PaceState start(PaceSettings settings, long seed, long now) {
    return new PaceController(settings, seed, now).state();
  }

  /** A number that belongs to a time: units sent, a rate. */
  public record At(double at, double value) {}

  /**
   * One request that was sent.
   *
   * @param inFlightBefore how many others were under way
   * @param requestsBefore how many requests had been sent before it, ever
   * @param tokensBefore how many tokens
   * @param numberForGuard its number among the first ones; -1 after those
   * @param refused whether it is known to have been refused
   */
  public record Send(
      long id,
      double at,
      Cost cost,
      int inFlightBefore,
      double requestsBefore,
      double tokensBefore,
      int numberForGuard,
      boolean probe,
      boolean refused) {}

  /**
   * One advertised bucket.
   *
   * @param announced the rate that was last made known; 0 if none was
   * @param low whether a warning was given and little is left still
   */
  public record QuotaState(
      Dimension dimension, String name, ClaimState claim, double announced, boolean low) {}

  /** Bounds of a refill, from one header. */
  public record RateBounds(double lower, double upper) {}

  /** An advertised bucket, as far as it is understood: see {@link Claim}. */
  public record ClaimState(
      double limit,
      double seen,
      double resolution,
      double anchorAt,
      double anchored,
      double level,
      double levelAt,
      double edge,
      double edgeAt,
      double sentAt,
      double probedAt,
      double probeGap,
      double typicalCost,
      double drainedAt,
      double fullSumAt,
      double fullSum,
      double proven,
      double refundError,
      double plainError,
      double statedSince,
      boolean refuted,
      double votingSince,
      int silentAnswers,
      List<At> taken,
      RefillState refill,
      List<RateBounds> byLimit,
      List<RateBounds> bySeen,
      WindowState window,
      TrustState trust) {

    public ClaimState {
      taken = List.copyOf(taken);
      byLimit = List.copyOf(byLimit);
      bySeen = List.copyOf(bySeen);
    }
  }

  /** See {@link Refill}. */
  public record RefillState(List<At> points, double lower, double upper, double spacing) {

    public RefillState {
      points = List.copyOf(points);
    }
  }

  /** See {@link FixedWindow}. */
  public record WindowState(
      double endsFrom,
      double endsUntil,
      double firstAt,
      double firstSum,
      double firstUsed,
      double seconds,
      int wins,
      int losses) {}

  /** See {@link Trust}. */
  public record TrustState(
      double wrongAt, double suspendedUntil, double suspension, double misses, int rights) {}

  /** A limit that nobody advertises: see {@link HiddenRate}. */
  public record RateState(
      boolean active,
      boolean suspended,
      double nextAt,
      int episodes,
      double ceiling,
      double suspectedAt,
      double suspectedUntil,
      double suspectedBefore,
      int suspected,
      StraysState strays,
      ChallengeState challenge,
      EvidenceState evidence,
      LearnedState learned,
      HiddenWindowState window) {}

  /** What was sent and refused: see {@link Evidence}. */
  public record EvidenceState(
      double sentUnits,
      double unit,
      double firstSentAt,
      double firstEmptyAt,
      Optional<At> mark,
      boolean markFull,
      List<Double> emptyAt,
      List<At> totals,
      List<At> sends,
      List<At> refusals) {

    public EvidenceState {
      emptyAt = List.copyOf(emptyAt);
      sends = List.copyOf(sends);
      refusals = List.copyOf(refusals);
      totals = List.copyOf(totals);
    }
  }

  /** How far learning a rate has come: see {@link LearnedRate}. */
  public enum Phase {
    RAMP,
    SEARCH,
    TRACK,
    TEST,
    DROUGHT,
    HARVEST
  }

  /** What follows from the evidence: see {@link LearnedRate}. */
  public record LearnedState(
      Phase phase,
      double rate,
      double climb,
      double raisedAt,
      double climbsFrom,
      double boundAt,
      double correctedAt,
      int refusalsInEpisode,
      boolean lastWasNoise,
      double checkUnits,
      int raises,
      double cautiousUntil,
      int barren,
      double remembered,
      boolean advertised,
      double roundTrip,
      BeliefState belief,
      GrowthState growth,
      BestState best) {}

  /** See {@link Challenge}. */
  public record ChallengeState(
      int unexplained,
      int counted,
      int needed,
      double startedAt,
      double units,
      int refusals,
      double sentAt) {}

  /** See {@link Strays}. */
  public record StraysState(int count, double unitsBefore, double lastAt) {}

  /** See {@link BucketBelief}. */
  public record BeliefState(List<Double> rates, List<Double> bursts, List<Double> odds) {

    public BeliefState {
      rates = List.copyOf(rates);
      bursts = List.copyOf(bursts);
      odds = List.copyOf(odds);
    }
  }

  /** See {@link Growth}. */
  public record GrowthState(
      double grown,
      double tickedAt,
      boolean bound,
      double idle,
      double seconds,
      double confirmed,
      double confirmedSeconds) {}

  /** See {@link BestRate}. */
  public record BestState(
      double best, double tried, double testAt, double gap, double hintFrom, double hintGap) {}

  /** See {@link HiddenWindow}. */
  public record HiddenWindowState(
      double dryFrom,
      double refusedAt,
      double gap,
      double askedAt,
      double peak,
      double openedFrom,
      double openedUntil,
      double shortest,
      double longest,
      double quota,
      double harvestFrom,
      double endedAt,
      double rate,
      double doubledAt,
      int unrefused,
      int nextTrial,
      int surprises,
      double refusalSeconds,
      double firstFrom,
      double firstUntil,
      double windows,
      double before,
      double dryFor,
      double askedWait) {}

  /** See {@link Circuit}. */
  public record CircuitState(
      int failures,
      boolean open,
      double probeAt,
      double probeGap,
      boolean restarting,
      double restartedAt,
      double nextAt) {}

  /** See {@link Backstop}. */
  public record BackstopState(
      boolean open,
      double openedAt,
      int further,
      boolean probing,
      int sentSince,
      boolean rare,
      boolean answered,
      double rateBefore,
      double probingSince,
      double gap,
      double nextAt,
      double pendingAt,
      double quiet,
      double attempts,
      double refusals,
      boolean overdrawn,
      double average,
      double averagedAt,
      double startedAt,
      double slowRate,
      double nextByPace,
      double refusalSeconds,
      double slowedAt,
      double slowFrom,
      double refusedAfter) {}

  /** See {@link Overload}. */
  public record OverloadState(
      List<Double> sent,
      List<Double> overloaded,
      boolean slowed,
      double slowedAt,
      double slowedRate,
      double fullRate,
      double nextAt) {

    public OverloadState {
      sent = List.copyOf(sent);
      overloaded = List.copyOf(overloaded);
    }
  }

  /** See {@link ConcurrencyCap}. */
  public record CapState(
      int cap,
      boolean met,
      double probeAt,
      double probeGap,
      int step,
      List<Integer> refusedAt,
      List<Double> explainedAt) {

    public CapState {
      refusedAt = List.copyOf(refusedAt);
      explainedAt = List.copyOf(explainedAt);
    }
  }

  /** See {@link LatencyGuard}. */
  public record GuardState(
      double startedAt,
      List<Double> first,
      int firstAnswered,
      double baseline,
      List<Double> recent,
      List<Double> answeredAt,
      int window,
      double restUntil) {

    public GuardState {
      first = List.copyOf(first);
      recent = List.copyOf(recent);
      answeredAt = List.copyOf(answeredAt);
    }
  }

  /** See {@link SlowStart}. */
  public record SlowStartState(
      boolean selfHosted,
      int window,
      int answered,
      boolean bound,
      double doubledAt,
      double interval) {}
}

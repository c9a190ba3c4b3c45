package dev.weir.telemetry;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Whether what is configured for a model still is what its engine allows: that is how a new model
 * or an increase is noticed. Guarded by the use of the model.
 */
public final class OutOfDate {

  /** So much more must be advertised: providers round, and count in other windows. */
  private static final double MORE = 1.25;

  /** Refusals below this part of a limit are not explained by it. */
  private static final double BELOW = 0.8;

  /** Fewer may be strays. */
  private static final int FEWEST_REFUSALS = 3;

  private static final long WINDOW = Duration.ofMinutes(10).toNanos();

  private final long[] refusedBelow = new long[FEWEST_REFUSALS];
  private int refusals;
  private boolean isUnlimited;

  /** Why. */
  public enum Reason {
    /** The engine refuses calls well below the limit. */
    REFUSED_BELOW_LIMIT,
    /** The engine says that it allows more. */
    MORE_ADVERTISED,
    /**
     * The model is used, and nothing limits it, or others have configured limits and it has not.
     */
    NO_LIMIT;

    /** As it is written: {@code no_limit}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A refusal.
   *
   * @param fullest the share of the limit of which most was used
   */
  void refused(long now, double fullest) {
    if (fullest < BELOW) {
      refusedBelow[refusals % FEWEST_REFUSALS] = now;
      refusals++;
    }
  }

  /** Whether it is used without a limit although others have some. */
  void require(boolean limit) {
    isUnlimited = limit;
  }

  /** Limits have changed: what was refused before says nothing of them. */
  void forget() {
    refusals = 0;
  }

  /**
   * @param isLimitKnown whether any limit is, from whatever source
   * @param rates limits per minute by their source, for each resource
   */
  Set<Reason> reasons(
      long now,
      boolean isUsed,
      boolean isLimitKnown,
      Map<Resource, Map<LimitSource, Double>> rates) {
    Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    boolean isEnough = refusals >= FEWEST_REFUSALS;
    // The oldest of the last few.
    if (isEnough && now - refusedBelow[refusals % FEWEST_REFUSALS] <= WINDOW) {
      reasons.add(Reason.REFUSED_BELOW_LIMIT);
    }
    if (rates.values().stream().anyMatch(OutOfDate::isMoreAdvertised)) {
      reasons.add(Reason.MORE_ADVERTISED);
    }
    if (isUsed && (isUnlimited || !isLimitKnown)) {
      reasons.add(Reason.NO_LIMIT);
    }
    return reasons;
  }

  private static boolean isMoreAdvertised(Map<LimitSource, Double> limits) {
    Double configured = limits.get(LimitSource.CONFIGURED);
    Double advertised = limits.get(LimitSource.ADVERTISED);
    return configured != null && advertised != null && advertised > MORE * configured;
  }
}

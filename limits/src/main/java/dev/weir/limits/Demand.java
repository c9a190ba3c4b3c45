package dev.weir.limits;

import dev.weir.limits.pace.Cost;
import dev.weir.time.Time;

/**
 * Who asks for a permit, for what, and until when.
 *
 * @param flow the task or client the request belongs to: flows share a lane by weight
 * @param weight of the flow, from 0.001 to 1,000
 * @param standing how far the request's work has come
 * @param estimate what it is expected to cost; reserved before, settled after
 * @param deadlineNanos when its caller no longer wants it, on the clock of {@link Time#nanos()}
 * @param attempt the number of the attempt within its request, from 1
 * @param kind what is known of how long its answer takes
 * @param isLastChance whether its next failure is its last, if it is not a refusal: it has failed
 *     for long already while others succeeded
 */
public record Demand(
    String flow,
    double weight,
    Standing standing,
    Cost estimate,
    long deadlineNanos,
    int attempt,
    Kind kind,
    boolean isLastChance) {

  /**
   * Requests whose answers take about as long as each other's.
   *
   * @param name tells kinds apart: a role, a reasoning setting, a limit on the output
   * @param reasons whether the model may think for minutes before it says a word
   */
  public record Kind(String name, boolean reasons) {

    /** Nothing is known. */
    public static final Kind ANY = new Kind("", false);
  }

  /** Classes of requests, most urgent first; those who wait long move up. */
  public enum Standing {
    /** A further attempt of a request that was made before. */
    RETRY(0),
    /** A request of a sample that has begun. */
    IN_PROGRESS(1),
    /** The first request of something new. */
    NEW(2);

    private final int rank;

    Standing(int rank) {
      this.rank = rank;
    }

    /** The lower, the more urgent. */
    int rank() {
      return rank;
    }
  }

  private static final double LEAST_WEIGHT = 1e-3;
  private static final double MOST_WEIGHT = 1e3;

  public Demand {
    if (!(weight >= LEAST_WEIGHT && weight <= MOST_WEIGHT)) {
      throw new IllegalArgumentException(
          "`weight` must be from %s to %s, was %s".formatted(LEAST_WEIGHT, MOST_WEIGHT, weight));
    }
    if (attempt < 1) {
      throw new IllegalArgumentException("`attempt` must be >= 1, was " + attempt);
    }
  }

  /** The first attempt. */
  public Demand(String flow, double weight, Standing standing, Cost estimate, long deadlineNanos) {
    this(flow, weight, standing, estimate, deadlineNanos, 1, Kind.ANY, false);
  }

  /** New, of weight 1, without a deadline. */
  public static Demand of(String flow, Cost estimate) {
    return new Demand(flow, 1, Standing.NEW, estimate, Time.NEVER);
  }

  public Demand with(Standing newStanding) {
    return new Demand(
        flow, weight, newStanding, estimate, deadlineNanos, attempt, kind, isLastChance);
  }

  public Demand with(Cost newEstimate) {
    return new Demand(
        flow, weight, standing, newEstimate, deadlineNanos, attempt, kind, isLastChance);
  }

  public Demand with(Kind newKind) {
    return new Demand(
        flow, weight, standing, estimate, deadlineNanos, attempt, newKind, isLastChance);
  }

  /** The same, for a request that failed too often before: one failure more, and it has failed. */
  public Demand asLastChance() {
    return new Demand(flow, weight, standing, estimate, deadlineNanos, attempt, kind, true);
  }

  public Demand until(long newDeadlineNanos) {
    return new Demand(
        flow, weight, standing, estimate, newDeadlineNanos, attempt, kind, isLastChance);
  }

  /** The next attempt of the same request. */
  public Demand again() {
    return new Demand(
        flow, weight, Standing.RETRY, estimate, deadlineNanos, attempt + 1, kind, isLastChance);
  }
}

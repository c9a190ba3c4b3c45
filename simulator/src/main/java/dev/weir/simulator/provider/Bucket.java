package dev.weir.simulator.provider;

/**
 * A quota's level over time, full at the start.
 *
 * <p>May be negative: a settlement above the reservation, or a refusal that costs quota, leaves a
 * debt. Not thread-safe; fed with the time.
 */
abstract sealed class Bucket permits RefilledBucket, CalendarBucket {

  /** Stands for a time that does not come by waiting. */
  static final long FAR_NANOS = 86_400_000_000_000L;

  static final double NANOS_PER_SECOND = 1e9;

  private final RefusalKind kind;
  private double limit;
  private double level;
  private long levelAt;

  Bucket(RefusalKind kind, double limit) {
    this.kind = kind;
    this.limit = limit;
    this.level = limit;
  }

  final RefusalKind kind() {
    return kind;
  }

  final double limit() {
    return limit;
  }

  final double level() {
    return level;
  }

  final long levelAt() {
    return levelAt;
  }

  /** Brings the level to a time, which is never before that of the last call. */
  final void moveTo(long now) {
    if (now > levelAt) {
      level = levelAfter(now);
      levelAt = now;
    }
  }

  final boolean holds(Request request) {
    return level >= cost(request);
  }

  /**
   * Answers may be allowed to be longer than a minute of their quota, and are served all the same:
   * no more than all of it is reserved.
   */
  private double cost(Request request) {
    double cost = kind.cost(request);
    return kind == RefusalKind.OUTPUT_TOKENS ? Math.min(limit, cost) : cost;
  }

  final void take(Request request) {
    level -= cost(request);
  }

  final void take(double amount) {
    level -= amount;
  }

  /** Gives back what was reserved too much; takes what was reserved too little. */
  final void settle(Request request) {
    level = Math.min(limit, level + cost(request) - kind.used(request));
  }

  final void resize(double newLimit) {
    limit = newLimit;
  }

  final long nanosUntilHolds(Request request) {
    double cost = cost(request);
    if (level >= cost) {
      return 0;
    }
    return cost > limit ? FAR_NANOS : Math.min(FAR_NANOS, nanosUntilLevel(cost));
  }

  /** The level at a later time than that of the present one, if nobody takes anything. */
  abstract double levelAfter(long now);

  abstract long nanosUntilLevel(double wanted);

  abstract double nanosUntilFull();

  /** Changes the limit: the refill, or what a window holds. */
  abstract void scale(double factor);
}

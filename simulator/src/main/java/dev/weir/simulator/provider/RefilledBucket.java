package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Quota;

/**
 * A bucket refilled continuously.
 *
 * <p>Other traffic drains it evenly, so the level moves by the difference. What is advertised knows
 * only the refill: {@code reset = (limit - level) / refill}.
 */
final class RefilledBucket extends Bucket {

  private final double othersPerNano;
  private double refillPerNano;

  RefilledBucket(RefusalKind kind, Quota quota, double othersPerSecond) {
    super(kind, quota.burst());
    this.refillPerNano = quota.perSecond() / NANOS_PER_SECOND;
    this.othersPerNano = othersPerSecond / NANOS_PER_SECOND;
  }

  @Override
  double levelAfter(long now) {
    double gain = netPerNano() * (now - levelAt());
    return gain >= 0
        ? Math.min(limit(), level() + gain)
        : Math.max(Math.min(0, level()), level() + gain);
  }

  @Override
  long nanosUntilLevel(double wanted) {
    double net = netPerNano();
    return net <= 0 ? FAR_NANOS : (long) Math.ceil((wanted - level()) / net);
  }

  @Override
  double nanosUntilFull() {
    return (limit() - level()) / refillPerNano;
  }

  @Override
  void scale(double factor) {
    refillPerNano *= factor;
  }

  private double netPerNano() {
    return refillPerNano - othersPerNano;
  }
}
